// What a host would write today: a JSON-RPC server that keeps the graph in memory and, for each
// commit, the whole of it as one row of JSON, in SQLite with WAL and a sync per commit.
const Database = require("better-sqlite3");
const rpc = require("vscode-jsonrpc/node");

const database = new Database(process.argv[2]);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(
  "CREATE TABLE IF NOT EXISTS revisions (number INTEGER PRIMARY KEY, project TEXT, graph TEXT)",
);
const insert = database.prepare("INSERT INTO revisions (project, graph) VALUES (?, ?)");
const projects = new Map();

const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(process.stdin),
  new rpc.StreamMessageWriter(process.stdout),
);

connection.onRequest("initialize", () => ({ capabilities: {} }));
connection.onRequest("open", ({ projectId, graph }) => {
  const nodes = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  projects.set(projectId, { graph, nodes });
  return { nodes: nodes.size };
});
connection.onRequest("commit", ({ projectId, payload }) => {
  const { graph, nodes } = projects.get(projectId);
  const node = nodes.get(payload.nodeId);
  const before = node.parameters[payload.name];
  node.parameters[payload.name] = payload.value;
  const { lastInsertRowid } = insert.run(projectId, JSON.stringify(graph));
  const revisionId = String(lastInsertRowid);
  connection.sendNotification("projectChanged", { projectId, revisionId });
  return { status: "applied", revisionId, changes: [{ nodeId: node.nodeId, before, node }] };
});
process.stdin.on("end", () => process.exit(0));
connection.listen();
