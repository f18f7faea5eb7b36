import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { ScriptedChain } from "./chain.ts";
import type { Effect, Faults, IncomingCall } from "./faults.ts";
import { answer, MethodError, type NodeBehaviour } from "./methods.ts";

/** Limits of one HTTP exchange. May be changed while the node runs. */
export interface ServerLimits {
  /** Most entries of a batch. */
  batch: number;
  /** How a larger batch is refused: HTTP 413 or 400, or one error as geth and reth answer. Default `http`. */
  refusal: "http" | "bad-request" | "geth" | "reth";
  /** From that many bytes of results on, the rest of a batch is answered with geth's "response too large". */
  responseBytes: number;
  /** Answers come packed whether asked for or not. */
  gzip: boolean;
}

export interface ServedNode {
  chain: ScriptedChain;
  behaviour: NodeBehaviour;
  limits: ServerLimits;
  faults: Faults;
  /** Every call that came, oldest first; the calls of one HTTP request form one entry. */
  requests: IncomingCall[][];
}

interface Entry {
  id: unknown;
  call: IncomingCall;
  effect: Effect | undefined;
}

/** Serves a node on a port of loopback; 0 is a free one. */
export async function serve(
  node: ServedNode,
  port: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    void respond(node, request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

async function respond(
  node: ServedNode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const asked = (Array.isArray(body) ? body : [body]).map(({ id, method, params }) => ({
    id,
    call: { method, params: params ?? [] } as IncomingCall,
  }));
  const struck = node.faults.take(asked.map(({ call }) => call));
  const entries = asked.map((entry, index): Entry => ({ ...entry, effect: struck[index] }));
  node.requests.push(entries.map(({ call }) => call));
  const effects = entries.flatMap(({ effect }) => effect ?? []);

  for (const effect of effects) {
    if (effect.kind === "stall") return node.faults.whenCleared(() => request.socket.destroy());
    if (effect.kind === "drop") return void request.socket.destroy();
    if (effect.kind === "http") {
      response.writeHead(effect.status, effect.headers).end(effect.body ?? "");
      return;
    }
  }
  const late = effects.find((effect) => effect.kind === "late");
  if (late) await new Promise((resolve) => setTimeout(resolve, late.ms));
  if (entries.length > node.limits.batch) return refuse(node.limits.refusal, entries, response);
  const text = JSON.stringify(
    Array.isArray(body) ? answers(node, entries) : answers(node, entries)[0],
  );
  const truncated = effects.some(({ kind }) => kind === "truncate");
  send(
    node.limits.gzip || asksForGzip(request),
    response,
    truncated ? text.slice(0, text.length >> 1) : text,
  );
}

function answers({ chain, behaviour, limits }: ServedNode, entries: readonly Entry[]): object[] {
  let bytes = 0;
  return entries.flatMap(({ id, call, effect }): object[] => {
    const head = { jsonrpc: "2.0", id };
    if (effect?.kind === "omit") return [];
    if (effect?.kind === "error") {
      const { kind: _, ...error } = effect;
      return [{ ...head, error }];
    }
    if (bytes > limits.responseBytes) {
      return [{ ...head, error: { code: -32003, message: "response too large" } }];
    }
    try {
      const right = answer(chain, behaviour, call);
      const result = effect?.kind === "lie" ? effect.replace(right, call) : right;
      if (Number.isFinite(limits.responseBytes)) bytes += JSON.stringify(result ?? null).length;
      const entry = { ...head, result: result ?? null };
      return effect?.kind === "double" ? [entry, entry] : [entry];
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      const { code, message, data } = error;
      return [{ ...head, error: { code, message, ...(data === undefined ? {} : { data }) } }];
    }
  });
}

function refuse(
  refusal: ServerLimits["refusal"],
  entries: readonly Entry[],
  response: ServerResponse,
): void {
  if (refusal === "http" || refusal === "bad-request") {
    response.writeHead(refusal === "http" ? 413 : 400).end("payload too large");
    return;
  }
  const error =
    refusal === "geth"
      ? [
          {
            jsonrpc: "2.0",
            id: entries[0]?.id,
            error: { code: -32600, message: "batch too large" },
          },
        ]
      : {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32010, message: "The batch request was too large" },
        };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(error));
}

function asksForGzip({ headers }: IncomingMessage): boolean {
  return /gzip/.test(String(headers["accept-encoding"] ?? ""));
}

function send(packed: boolean, response: ServerResponse, text: string): void {
  response.writeHead(200, {
    "content-type": "application/json",
    ...(packed ? { "content-encoding": "gzip" } : {}),
  });
  response.end(packed ? gzipSync(text) : text);
}
