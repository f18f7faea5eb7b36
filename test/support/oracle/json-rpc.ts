/** A call of a JSON-RPC batch. */
export interface Call {
  method: string;
  params: readonly unknown[];
}

/** The node's answer to one call of a batch: its result or its error. */
interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** The plainest JSON-RPC client: no retry, no cache, so that a test sees what the node said; an answer has 30 s. */
export interface JsonRpc {
  readonly url: string;
  /** Result of one call. Throws with the node's own words when it answers with an error. */
  request<Result>(method: string, ...params: unknown[]): Promise<Result>;
  /** Answers in the order of the calls, errors included; sent in batches of at most 500. */
  batch(calls: readonly Call[]): Promise<Answer[]>;
  /** Results in the order of the calls. Throws on the first error among them. */
  requestAll<Result>(calls: readonly Call[]): Promise<Result[]>;
}

const BATCH_SIZE = 500;
const PATIENCE_MS = 30_000;

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return response.json();
}

function resultOf<Result>(call: Call, answer: Answer): Result {
  if (answer.error) {
    throw new Error(`${call.method} ${JSON.stringify(call.params)}: ${answer.error.message}`);
  }
  return answer.result as Result;
}

/** Client of the node at `url`. */
export function createJsonRpc(url: string): JsonRpc {
  async function sendBatch(calls: readonly Call[]): Promise<Answer[]> {
    if (calls.length === 0) return [];
    const requests = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
    const answers = (await post(url, requests)) as (Answer & { id: number })[];
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    return calls.map((call, id) => {
      const answer = byId.get(id);
      if (!answer) throw new Error(`the node left out its answer to ${call.method}`);
      return answer;
    });
  }

  async function batch(calls: readonly Call[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let start = 0; start < calls.length; start += BATCH_SIZE) {
      answers.push(...(await sendBatch(calls.slice(start, start + BATCH_SIZE))));
    }
    return answers;
  }

  return {
    url,
    batch,
    async request<Result>(method: string, ...params: unknown[]): Promise<Result> {
      const call = { method, params };
      const answer = (await post(url, { jsonrpc: "2.0", id: 1, ...call })) as Answer;
      return resultOf<Result>(call, answer);
    },
    async requestAll<Result>(calls: readonly Call[]): Promise<Result[]> {
      const answers = await batch(calls);
      return calls.map((call, index) => resultOf<Result>(call, answers[index] as Answer));
    },
  };
}
