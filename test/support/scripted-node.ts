import { ScriptedChain } from "./scripted-node/chain.ts";
import { type Fault, Faults, type IncomingCall } from "./scripted-node/faults.ts";
import type { NodeBehaviour } from "./scripted-node/methods.ts";
import { type ServerLimits, serve } from "./scripted-node/server.ts";
import { serveHeads, type WebSocketSide } from "./scripted-node/web-socket.ts";

export interface ScriptedNodeOptions extends Partial<NodeBehaviour> {
  /** Default: a new chain of its own. */
  chain?: ScriptedChain;
  limits?: Partial<ServerLimits>;
  /** Default: a free one. */
  port?: number;
}

/**
 * A JSON-RPC node on loopback that serves a scripted chain, and does wrong on command. The chain is grown with
 * `node.chain.mine(…)`, reorganised with `node.chain.reorg(depth, …)`, reset with `node.chain.reset()`.
 */
export interface ScriptedNode {
  readonly url: string;
  readonly webSocketUrl: string;
  readonly port: number;
  readonly chain: ScriptedChain;
  /** May be changed at any time, as may `limits`. */
  readonly behaviour: NodeBehaviour;
  readonly limits: ServerLimits;
  readonly webSocket: WebSocketSide;
  /** The calls of each HTTP request so far. */
  readonly requests: IncomingCall[][];
  /** Switches a fault on (effects: scripted-node/faults.ts); gives the way to switch it off. */
  fail(fault: Fault): () => void;
  /** Switches all faults off. */
  heal(): void;
  /** How often a method was called. */
  count(method: string): number;
  stop(): Promise<void>;
}

/** Starts a scripted node; by default it answers as a geth archive node with the debug and trace methods. */
export async function startScriptedNode(options: ScriptedNodeOptions = {}): Promise<ScriptedNode> {
  const { chain = new ScriptedChain(), limits, port: wantedPort = 0, ...behaviour } = options;
  const node = {
    chain,
    behaviour: {
      clientVersion: "scripted/1",
      without: [],
      behind: 0,
      statesKept: Number.POSITIVE_INFINITY,
      stateByHash: true,
      oldestBlock: null,
      nullRounds: false,
      overrides: false,
      ...behaviour,
    } satisfies NodeBehaviour,
    limits: {
      batch: Number.POSITIVE_INFINITY,
      refusal: "http",
      responseBytes: Number.POSITIVE_INFINITY,
      gzip: false,
      ...limits,
    } satisfies ServerLimits,
    faults: new Faults(),
    requests: [] as IncomingCall[][],
  };
  const { server, port } = await serve(node, wantedPort);
  const webSocket = serveHeads(server, chain);
  return {
    url: `http://127.0.0.1:${port}`,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    port,
    chain,
    behaviour: node.behaviour,
    limits: node.limits,
    webSocket,
    requests: node.requests,
    fail: (fault) => node.faults.add(fault),
    heal: () => node.faults.clear(),
    count: (method) => node.requests.flat().filter((call) => call.method === method).length,
    async stop() {
      webSocket.cut(true);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
