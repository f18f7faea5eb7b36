import { z } from "zod";
import { sleep } from "../core/async.ts";
import { scanJson } from "../core/json/json-scan.ts";
import { isRecord } from "../core/json/record.ts";
import { splitCredentials } from "../core/secrets.ts";

/** The used fields of an explorer's envelope. */
export const envelope = z.object({
  status: z.unknown().optional(),
  message: z.string().catch(""),
  result: z.unknown().optional(),
});

/** Returns an answer's text: Etherscan's dialect has it in `result`, as has a status without failure. */
export function textOf({ message, result }: z.output<typeof envelope>): string {
  return /^(?:NOT)?OK$/.test(message) ? String(result) : message;
}

/** A JSON object with unknown members. */
export type WebAnswer = Readonly<Record<string, unknown>>;

/** Requests JSON objects of one server, one request at a time and with pauses. */
export interface Web {
  /** Its URL for people, without user and query, which may hold keys. */
  readonly name: string;
  /** Returns the answer to a GET of the base URL with parameters, or of a path below it. Throws an `Error` without the URL's secrets. */
  get(question: {
    path?: string;
    parameters?: Readonly<Record<string, string>>;
  }): Promise<WebAnswer>;
  /** Returns the answer to a POST of a form. */
  post(form: Readonly<Record<string, string>>): Promise<WebAnswer>;
}

const REQUEST_TIMEOUT_MS = 60_000;
const MAXIMUM_ANSWER = 64_000_000;
/** Limits of an answer: some 50,000 entries of a list, more than any page has. */
const JSON_BOUNDS = { depth: 64, tokens: 1_000_000 };
const MAXIMUM_REDIRECTS = 3;
const MAXIMUM_ATTEMPTS = 6;
const LONGEST_PAUSE_SECONDS = 120;

/**
 * Opens an API with `paceMs` between requests. Retries 429, 5xx and rate-limit words as `retry-after` says; redirects stay within the
 * origin. The URL's query and credentials go with each request.
 */
export function openWeb(base: string, paceMs: number): Web {
  const { bare: url, headers } = splitCredentials(new URL(base));
  const name = `${url.protocol}//${url.host}${url.pathname}`;
  let next = 0;

  async function ask(target: URL, init: RequestInit): Promise<WebAnswer> {
    for (let attempt = 1; ; attempt++) {
      await sleep(Math.max(0, next - performance.now()));
      next = performance.now() + paceMs;
      const response = await follow(target, init);
      const { status, headers } = response;
      const answer = status === 429 || status >= 500 ? undefined : await readObject(response);
      if (answer && !isLimited(answer)) return answer;
      if (!answer) await response.body?.cancel();
      if (attempt === MAXIMUM_ATTEMPTS) {
        throw new Error(
          answer ? `${name} lets nothing be asked` : `${name} answers HTTP ${status}`,
        );
      }
      const seconds = Number(headers.get("retry-after")) || (answer ? attempt : 2 ** attempt);
      await sleep(Math.min(seconds, LONGEST_PAUSE_SECONDS) * 1000);
    }
  }

  async function follow(target: URL, init: RequestInit): Promise<Response> {
    let at = target;
    for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const options: RequestInit = { ...init, headers, redirect: "manual", signal };
      const response = await fetch(at, options).catch(failUnanswered);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      const to = URL.parse(location, at.href);
      if (to?.origin !== at.origin) {
        throw new Error(`${name} redirects to another origin (${to?.origin ?? "no URL"})`);
      }
      at = to;
    }
    throw new Error(`${name} redirects too often`);
  }

  function failUnanswered(error: Error & { cause?: { code?: string; message: string } }): never {
    const { cause = { message: error.name } } = error;
    throw new Error(`${name} does not answer (${cause.code ?? cause.message})`);
  }

  async function readObject(response: Response): Promise<WebAnswer> {
    const text = await readWhole(response.body);
    if (scanJson(text, JSON_BOUNDS).kind !== "fits") {
      throw new Error(`${name} answers JSON of too many parts, or too deep`);
    }
    const answer = parsed(text);
    if (isRecord(answer)) return answer;
    throw new Error(`${name} answers no JSON object (HTTP ${response.status})`);
  }

  async function readWhole(body: Response["body"]): Promise<Buffer> {
    const reader = body?.getReader();
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const part = await reader?.read().catch(failUnanswered);
      if (part?.value === undefined) return Buffer.concat(parts);
      bytes += part.value.length;
      if (bytes > MAXIMUM_ANSWER) {
        await reader?.cancel();
        throw new Error(`${name} answers more than 64 MB`);
      }
      parts.push(part.value);
    }
  }

  return {
    name,
    get({ path = "", parameters = {} }) {
      const target = new URL(url);
      target.pathname = target.pathname.replace(/\/+$/, "") + path;
      for (const [key, value] of Object.entries(parameters)) target.searchParams.set(key, value);
      return ask(target, {});
    },
    post: (form) => ask(url, { method: "POST", body: new URLSearchParams(form) }),
  };
}

/** Detects Etherscan's rate limit, an HTTP 200. */
function isLimited({ result }: WebAnswer): boolean {
  return typeof result === "string" && /rate limit/i.test(result);
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString("utf8"));
  } catch {
    return undefined;
  }
}
