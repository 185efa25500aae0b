import { ReactFlowProvider } from "@xyflow/react";
import { Canvas } from "./canvas/Canvas.js";
import { Chat } from "./chat/Chat.js";
import { Timeline } from "./history/Timeline.js";
import { StoreContext } from "./model/hooks.js";
import type { Store } from "./model/store.js";
import { Notices } from "./shell/Notices.js";
import { TopBar } from "./shell/TopBar.js";

export function App({ store }: { store: Store }) {
  return (
    <StoreContext value={store}>
      <ReactFlowProvider>
        <div className="app">
          <TopBar />
          <main className="stage">
            <Canvas />
            <Notices />
          </main>
          <Chat />
          <Timeline />
        </div>
      </ReactFlowProvider>
    </StoreContext>
  );
}
