import type { TreeBranch } from "@graph-sidecar/client/browser";
import { useActions, useView } from "../model/hooks.js";
import { Menu } from "../shell/Menu.js";

/** The chat's branches, forks indented under what they came from. */
export function Branches() {
  const { tree } = useView();
  const actions = useActions();
  if (tree.branches.length < 2) return null;
  return (
    <Menu label={`${tree.branches.length} branches`} className="branches" testId="branches">
      {tree.branches.map((branch, index) => (
        <li key={branch.branchId} style={{ paddingInlineStart: `${depth(branch, tree.branches) * 14}px` }}>
          <button
            type="button"
            className={branch.active ? "active" : ""}
            onClick={() => void actions.selectBranch(branch.branchId)}
          >
            {branch.parentBranchId === null ? "Main line" : `Fork ${index}`}
            <small>{branch.messageCount} messages</small>
          </button>
        </li>
      ))}
    </Menu>
  );
}

function depth(branch: TreeBranch, all: readonly TreeBranch[]): number {
  const parent = all.find(({ branchId }) => branchId === branch.parentBranchId);
  return parent === undefined ? 0 : 1 + depth(parent, all);
}
