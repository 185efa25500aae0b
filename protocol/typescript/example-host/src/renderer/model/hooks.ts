// How components reach the store.

import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import { Actions } from "./actions.js";
import type { Store, View } from "./store.js";

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === null) throw new Error("There is no store above this component.");
  return store;
}

export function useView(): View {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, store.getView);
}

export function useActions(): Actions {
  const store = useStore();
  return useMemo(() => new Actions(store), [store]);
}
