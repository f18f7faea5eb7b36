/** Calls the embedded node by JSON-RPC; throws the node's error. */
export type Rpc = <Result>(method: string, ...params: unknown[]) => Promise<Result>;

type Answer = { result: unknown } | { error: { message: string } };

const TIMEOUT_MS = 30_000;

/** Creates a caller of the node at `url`; `signal` ends its calls. */
export function createRpc(url: string, signal: AbortSignal): Rpc {
  return async <Result>(method: string, ...params: unknown[]): Promise<Result> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const answer = (await response.json()) as Answer;
    if ("error" in answer) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result as Result;
  };
}
