import type { FastifyRequest } from "fastify";
import { formatUnits } from "viem/utils";
import { type Fault, RequestError } from "../../core/errors.ts";
import { isRecord } from "../../core/json/record.ts";
import type { Dispatch } from "../explorer/dispatch.ts";
import type { Answer } from "../http/answer.ts";
import { requestErrorOf } from "../http/failures.ts";
import { chooseChain } from "../serving/chains.ts";
import { decideChain, knownChainId } from "../serving/served-chain.ts";
import { boundResult, countFitting } from "./answers.ts";
import {
  type ActionTool,
  actionTools,
  findActions,
  isList,
  listArguments,
  MOST_ROWS,
  OWN_TOOLS,
  USUAL_ROWS,
} from "./tools.ts";

/** Dependencies of a tool call. */
export interface Asked {
  request: FastifyRequest;
  client: string;
  signal: AbortSignal;
  dispatch: Dispatch;
  /** The rows of `/v2/chainlist`. */
  listChains(): Promise<unknown[]>;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Texts of failures whose own text may quote a contract or a node. */
const TEXTS: Partial<Record<Fault["code"], string>> = {
  reverted: "The call was reverted",
  "node-error": "The node answered an error",
};

/** Calls a tool; undefined for an unknown one. */
export async function callTool(
  asked: Asked,
  name: string,
  sent: Arguments,
): Promise<object | undefined> {
  const tool = actionTools.get(name);
  if (!tool && !Object.hasOwn(OWN_TOOLS, name)) return undefined;
  try {
    return tool
      ? await callAction(asked, tool, sent)
      : await callOwn(asked, name as keyof typeof OWN_TOOLS, sent);
  } catch (thrown) {
    const known = requestErrorOf(thrown);
    if (!known) asked.request.log.error({ err: thrown }, "request failed");
    const error = known ?? new RequestError(500, "internal", "Something went wrong.");
    return failure(asked.request, undefined, error, error.message);
  }
}

async function callOwn(asked: Asked, name: keyof typeof OWN_TOOLS, sent: Arguments) {
  requireKnown(Object.keys(OWN_TOOLS[name].inputSchema.properties), sent);
  const { request } = asked;
  switch (name) {
    case "find_action": {
      const found = findActions(readText(sent, "query", 200), request.chains.length > 1);
      return success(request, undefined, found, false);
    }
    case "list_chains":
      return success(request, undefined, await asked.listChains(), false);
    case "convert_amount": {
      const amount = readText(sent, "amount", 100);
      const decimals = wholeNumber(readText(sent, "decimals", 3));
      if (!/^\d+$/.test(amount)) throw invalid("amount", "amount is to be decimal digits");
      if (!(decimals <= 255)) {
        throw invalid("decimals", "decimals is to be a whole number from 0 to 255");
      }
      return success(request, undefined, formatUnits(BigInt(amount), decimals), false);
    }
    case "call_action": {
      const tool = actionTools.get(readText(sent, "name", 100));
      if (!tool) throw new RequestError(200, "unknown-action", "Unknown action");
      const given = sent["arguments"] ?? {};
      if (!isRecord(given)) throw invalid("arguments", "arguments is to be an object");
      return callAction(asked, tool, given);
    }
  }
}

async function callAction(
  { request, client, signal, dispatch }: Asked,
  tool: ActionTool,
  sent: Arguments,
): Promise<object> {
  const { action, module } = tool;
  const names = listArguments(action);
  const chainid = sent["chainid"] ?? undefined;
  const query = new Map(chainid === undefined ? [] : [["chainid", readScalar(sent, "chainid")]]);
  const chain = decideChain(request, chooseChain(request.chains, { query, body: new Map() }));
  requireKnown([...names, "chainid"], sent);
  const sentNames = names.filter((name) => (sent[name] ?? null) !== null);
  const given = Object.fromEntries(sentNames.map((name) => [name, readScalar(sent, name)]));
  request.actionName = `${module}/${action.name}`;
  const input = new Map(Object.entries(given));
  if (isList(tool)) {
    const rows = wholeNumber(input.get("offset") ?? String(USUAL_ROWS));
    if (!Number.isInteger(rows) || rows < 1 || rows > MOST_ROWS) {
      throw invalid("offset", `offset is to be a whole number from 1 to ${MOST_ROWS}`);
    }
    input.set("offset", String(rows));
  }
  if (action.cursor !== undefined) input.set("cursor", input.get("cursor") ?? "start");
  const parsed = { input, query: input, body: new Map(), id: undefined };
  const ask = () => dispatch(action, parsed, "etherscan", chain, { client, signal, known: [] });
  const whole = await ask();
  const rows = action.cursor === undefined || whole.fault ? [] : JSON.parse(whole.body).result;
  const fitting = countFitting(rows);
  if (fitting === undefined) return present(whole, request, tool, given);
  // Asks for a shorter page: its cursor leads to the rows left out.
  input.set("offset", String(Math.max(1, fitting)));
  const note = `${fitting} of ${rows.length} rows shown, ask again with cursor`;
  return present(await ask(), request, tool, given, [note]);
}

/** Takes an action's answer out of its envelope. */
function present(
  { body, fault, block, contentType, next }: Answer,
  request: FastifyRequest,
  tool: ActionTool,
  given: Readonly<Record<string, string>>,
  cut: readonly string[] = [],
) {
  if (!contentType.includes("json")) return success(request, block, body, false);
  const { status, message, result, error } = JSON.parse(body);
  if (fault?.code === "empty") return content(request, block, { result: [], note: message });
  if (!fault || status === "1") return success(request, block, result, isList(tool), next, cut);
  const words = error?.message ?? error ?? (message === "NOTOK" ? result : message);
  return failure(request, block, fault, String(words), given);
}

function success(
  request: FastifyRequest,
  block: Answer["block"],
  result: unknown,
  isRows: boolean,
  next?: string,
  lines: readonly string[] = [],
) {
  const { cut = [], ...bounded } = boundResult(result, isRows);
  const said = [...lines, ...cut];
  return content(request, block, {
    ...bounded,
    ...(next !== undefined && { next_cursor: next }),
    ...(said.length > 0 && { cut: said }),
  });
}

function failure(
  request: FastifyRequest,
  block: Answer["block"],
  { code, parameter }: Fault,
  words: string,
  given: Readonly<Record<string, string>> = {},
) {
  // A text of the request must not come back as if this server wrote it.
  const isQuoted = parameter !== undefined && given[parameter] && words.includes(given[parameter]);
  const message = TEXTS[code] ?? (isQuoted ? `Invalid ${parameter}` : words);
  const error = { code, message, ...(parameter !== undefined && { name: parameter }) };
  return content(request, block, { error }, true);
}

function content(
  { chain }: FastifyRequest,
  block: Answer["block"],
  answer: object,
  isError = false,
) {
  const chainid = (chain && knownChainId(chain)?.toString()) ?? null;
  const at = block ? { number: String(block.number), hash: block.hash } : null;
  const structuredContent = { chainid, block: at, ...answer };
  const text = JSON.stringify(structuredContent);
  return { content: [{ type: "text", text }], structuredContent, isError };
}

/** Throws `RequestError` for an unknown argument, so that an agent notices its mistake. */
function requireKnown(names: readonly string[], sent: Arguments): void {
  if (Object.keys(sent).every((name) => names.includes(name))) return;
  const list = names.join(", ") || "none";
  throw new RequestError(200, "invalid-parameter", `Unknown argument; the arguments are: ${list}`);
}

function readText(sent: Arguments, name: string, longest: number): string {
  if (sent[name] === undefined || sent[name] === null) {
    throw new RequestError(200, "missing-parameter", `${name} is required`, { parameter: name });
  }
  const text = readScalar(sent, name);
  if (text === "" || text.length > longest) {
    throw invalid(name, `${name} is to have 1 to ${longest} characters`);
  }
  return text;
}

/** Returns the number that decimal digits spell; NaN for another text. */
function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** Returns an argument as text; also a number or a boolean. */
function readScalar(sent: Arguments, name: string): string {
  const value = sent[name];
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  throw invalid(name, `${name} is to be text, a whole number below 2^53, or true or false`);
}

function invalid(parameter: string, text: string): RequestError {
  return new RequestError(200, "invalid-parameter", text, { parameter });
}
