// The app in a browser: the page and the same narrow bridge over http on this machine alone.
//
// Other pages and other users of the machine must not reach it: it listens on 127.0.0.1, wants a
// secret that stands in the first address, and answers to its own name only.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host } from "./host.js";

const PAGE = fileURLToPath(new URL("../page/", import.meta.url));
const MOST_BYTES = 4 << 20;
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};

export interface HttpShell {
  /** The address to open; the secret in it is exchanged for a cookie. */
  readonly url: string;
  close(): Promise<void>;
}

export async function serveOverHttp(host: Host, port = 0): Promise<HttpShell> {
  const secret = randomBytes(32).toString("base64url");
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    route(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cookie = `bridge-${authority.split(":")[1]}`;
  const unsubscribe = host.onEvent((event) => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", `http://${authority}`);
    if (request.headers.host !== authority) return end(response, 421);
    const given = url.searchParams.get("secret");
    if (given !== null) return same(given, secret) ? welcome(response) : end(response, 403);
    if (!same(cookieOf(request, cookie), secret)) return end(response, 403);
    if (url.pathname === "/bridge" && request.method === "POST") return answer(request, response);
    if (url.pathname === "/events" && request.method === "GET") return listen(request, response);
    if (request.method === "GET") return sendFile(response, url.pathname);
    return end(response, 405);
  }

  function welcome(response: ServerResponse): void {
    const value = `${cookie}=${secret}; HttpOnly; SameSite=Strict; Path=/`;
    response.writeHead(303, { ...HEADERS, Location: "/", "Set-Cookie": value }).end();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.origin !== `http://${authority}`) return end(response, 403);
    const body = await bodyOf(request);
    if (body === null) return end(response, 413);
    const { channel, input } = JSON.parse(body) as { channel?: unknown; input?: unknown };
    const reply = JSON.stringify(await host.invoke(channel, input));
    response.writeHead(200, { ...HEADERS, "Content-Type": "application/json" }).end(reply);
  }

  function listen(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
    response.write(": hello\n\n");
    streams.add(response);
    request.on("close", () => streams.delete(response));
  }

  return {
    url: `http://${authority}/?secret=${secret}`,
    async close() {
      unsubscribe();
      for (const stream of streams) stream.end();
      await closed(server);
    },
  };
}

function sendFile(response: ServerResponse, pathname: string): void {
  const name = normalize(pathname === "/" ? "/index.html" : decodeURIComponent(pathname));
  const file = join(PAGE, name);
  const type = TYPES[extname(file)];
  if (!file.startsWith(PAGE) || type === undefined || !existsSync(file)) return end(response, 404);
  response.writeHead(200, { ...HEADERS, "Content-Type": type });
  createReadStream(file).pipe(response);
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function cookieOf(request: IncomingMessage, name: string): string {
  const pairs = (request.headers.cookie ?? "").split("; ").map((pair) => pair.split("="));
  return pairs.find(([key]) => key === name)?.[1] ?? "";
}

function same(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, HEADERS).end();
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
