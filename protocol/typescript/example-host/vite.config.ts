import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: "src/renderer",
  // The same files are served over http and over Electron's app:// protocol.
  base: "./",
  plugins: [react()],
  build: { outDir: "../../build/page", emptyOutDir: true, target: "es2022" },
});
