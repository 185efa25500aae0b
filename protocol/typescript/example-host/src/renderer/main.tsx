import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/style.css";
import "./styles.css";
import { App } from "./App.js";
import { Store } from "./model/store.js";
import { bridge } from "./model/bridge.js";

const root = createRoot(document.getElementById("root") as HTMLElement);
const store = await Store.open(bridge());
root.render(
  <StrictMode>
    <App store={store} />
  </StrictMode>,
);
