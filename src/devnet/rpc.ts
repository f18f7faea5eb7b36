/** One JSON-RPC call to the embedded node; throws with the node's words when it refuses. */
export type Rpc = <Result>(method: string, ...params: unknown[]) => Promise<Result>;

type Answer = { result: unknown } | { error: { message: string } };

const TIMEOUT_MS = 30_000;

/** A caller of the node at `url`; calls end when `signal` is aborted. */
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
