import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/style.css";
import "./styles.css";
import { App } from "./App.js";
import { CannotOpen } from "./shell/CannotOpen.js";
import { Store } from "./model/store.js";
import { bridge } from "./model/bridge.js";

const root = createRoot(document.getElementById("root") as HTMLElement);
try {
  const store = await Store.open(bridge());
  root.render(
    <StrictMode>
      <App store={store} />
    </StrictMode>,
  );
} catch (error) {
  root.render(<CannotOpen reason={error instanceof Error ? error.message : String(error)} />);
}
