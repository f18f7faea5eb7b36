import { forCaller } from "../../chain/caller-chain.ts";
import type { BlockReference } from "../../chain/questions.ts";
import { createUnresponsiveContracts } from "../../chain/state/unresponsive-contracts.ts";
import { RequestError } from "../../core/errors.ts";
import type { SoftwareVersion } from "../../core/software-version.ts";
import { MAXIMUM_ANSWER, type PageRange } from "../../store/lists/large-pages.ts";
import { getServedState } from "../../store/sync-state.ts";
import { tagOfHead } from "../http/caching.ts";
import { rpcErrorOf, TOO_LARGE } from "../http/failures.ts";
import { type Input, type InputValue, lookUp, type ParsedRequest } from "../http/input/form.ts";
import { createWaits, inTime, type Waits, waitingInTime } from "../reading/deadline.ts";
import { createLargeAnswers } from "../reading/large-answers.ts";
import { type Read, requireSynchronised, resultOnOneState } from "../reading/snapshot.ts";
import { perChain, type ServedChain } from "../serving/served-chain.ts";
import { type Action, type Context, paramsIn, type RawParameters } from "./action.ts";
import { readWalk } from "./cursor.ts";
import {
  type Answer,
  type Dialect,
  explorerAnswer,
  failed,
  forDialect,
  type Outcome,
  proxyAnswer,
  type RpcId,
  rpcAnswer,
  rpcError,
} from "./envelope.ts";
import { createMempool } from "./from-node/transactions/mempool.ts";
import { createGasOracle } from "./gas/prices.ts";
import {
  fileAnswer,
  fileFormatOf,
  nameOfFile,
  openFile,
  refuseFile,
  rowsOfFile,
} from "./list-file.ts";
import { pageRange } from "./params.ts";
import { actionsOf } from "./registry.ts";

/** Runs an action and returns the answer in its envelope, or 304 for a client's current copy. Throws failures other than outcomes. */
export type Dispatch = (
  action: Action,
  request: ParsedRequest,
  dialect: Dialect,
  chain: ServedChain,
  asker: Caller,
) => Promise<Answer>;

/** The client of a request. */
interface Caller extends Pick<Context, "client" | "signal"> {
  /** Tags of the client's cached answers. */
  known: readonly string[];
}

const DEFAULT_RPC_ID = 1;

/** Returns the module and action in a request. Throws `RequestError` when one of them is absent. */
export function namesIn(input: Input): { module: InputValue; action: InputValue } {
  const module = lookUp(input, "module");
  const action = lookUp(input, "action");
  if (module === undefined || action === undefined) {
    throw new RequestError(
      400,
      "missing-action",
      "Params 'module' and 'action' are required parameters",
    );
  }
  return { module, action };
}

/** Returns the action of a request. Throws `RequestError` with the wire's words when there is none. */
export function findAction(input: Input, dialect: Dialect): { module: string; action: Action } {
  const names = namesIn(input);
  const module = nameOf(names.module);
  const actions = actionsOf(module, dialect);
  if (!actions) throw new RequestError(400, "unknown-module", "Unknown module");
  const action = actions.get(nameOf(names.action));
  if (!action) throw new RequestError(400, "unknown-action", "Unknown action");
  return { module, action };
}

/** Returns the action in a path; undefined when there is none. Throws `RequestError` when the parameters name another. */
export function findActionOfPath(
  path: { module: string; action: string },
  input: Input,
  dialect: Dialect,
): { module: string; action: Action } | undefined {
  const module = nameOf(path.module);
  const action = actionsOf(module, dialect)?.get(nameOf(path.action));
  if (!action) return undefined;
  for (const name of ["module", "action"] as const) {
    const sent = lookUp(input, name);
    if (sent !== undefined && nameOf(sent) !== nameOf(path[name])) {
      throw new RequestError(400, "missing-action", `Param '${name}' is not the path's`);
    }
  }
  return { module, action };
}

/** Returns a name; lists and objects of a JSON body are none. */
function nameOf(value: InputValue): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}

export interface DispatchOptions extends SoftwareVersion {
  /** Time limit of an answer, see `inTime`. */
  requestTimeoutMs: number;
}

/** An outcome, or the tag of the client's current copy. */
type Made = { block?: BlockReference | undefined } & (
  | { outcome: Outcome<unknown>; etag?: string | undefined; next?: string | undefined }
  | { unchanged: string }
  | { file: NonNullable<Answer["file"]>; contentType: string; next: string | undefined }
);

/** Creates the dispatcher of a server. */
export function createDispatch(
  { version, commit, requestTimeoutMs }: DispatchOptions,
  usageOf: Context["usageOf"],
): Dispatch {
  const program = `${version};${commit}`;
  const gasOracleOf = perChain(({ chain }) => createGasOracle(chain));
  const unresponsiveOf = perChain(() => createUnresponsiveContracts());
  const mempoolOf = perChain(({ chain }) => createMempool(chain));

  function contextOf(served: ServedChain, { client, signal }: Caller) {
    const { sql, ...services } = served;
    return {
      ...services,
      chain: forCaller({ caller: client, signal }, served.chain),
      verifier: waitingInTime(served.verifier, requestTimeoutMs),
      largeAnswers: createLargeAnswers(sql),
      gasOracle: gasOracleOf(served),
      unresponsive: unresponsiveOf(served),
      mempool: mempoolOf(served),
      usageOf,
      client,
      signal,
    };
  }

  async function run(
    action: Action,
    input: Input,
    dialect: Dialect,
    served: ServedChain,
    caller: Caller,
    waits: Waits,
  ): Promise<Made> {
    const { client, signal, known } = caller;
    const { sql } = served;
    const parameters = collect(action, input, dialect);
    const complaint = action.check?.(parameters, dialect);
    if (complaint !== undefined) return { outcome: complaint };
    const parsed = paramsIn(action, dialect).safeParse(parameters);
    if (!parsed.success)
      return { outcome: invalidParameters(action, parsed.error.issues, parameters) };
    const { data } = parsed;
    const format = fileFormatOf(action, data["format"]);
    const rows = format ? rowsOfFile(parameters) : Number(data["offset"]);
    const walk = readWalk(action, dialect, data, rows);
    if (walk && "kind" in walk) return { outcome: walk };
    const isOfHead =
      forDialect(action.changesWithHead ?? false, dialect) &&
      !walk &&
      !action.asksForSources?.(data);
    if (isOfHead && known.length > 0) {
      const { head, isIndexed, isWhole } = await getServedState(sql);
      if (head && isIndexed && isWhole && known.includes(tagOfHead(head, program))) {
        return { unchanged: tagOfHead(head, program), block: head };
      }
    }
    if (action.isSubmission) await requireSynchronised(sql);
    const asker = { caller: client, signal };
    const context = contextOf(served, caller);
    const handle = (read: Read, page: PageRange) =>
      action.handle({ ...context, read, page, dialect, sent: input }, data);
    const readAs = (read: Read) => (walk ? walk.pin(waits.watch(read)) : waits.watch(read));
    if (walk && format) {
      const request = { action, dialect, format, sql, client, signal, rows, page: handle };
      const made = await openFile({ ...request, after: walk.page.after ?? [] }, (query) =>
        resultOnOneState(sql, (read) => readAs(read)(query), { asker }),
      );
      if (made.kind !== "file") return { outcome: made };
      const block = walk.block() ?? made.head;
      const name = nameOfFile(served.chainId(), action, data, block.number);
      return {
        ...fileAnswer(made, `${name}.${format}`),
        block,
        next: made.next && walk.next(made.next),
      };
    }
    const { result: outcome, head } = await resultOnOneState(
      sql,
      (read) => handle(readAs(read), walk?.page ?? pageRange(data)),
      { servedWhileLoading: action.servedWhileLoading, asker },
    );
    const etag = isOfHead && head ? tagOfHead(head, program) : undefined;
    const key = outcome.kind === "ok" ? outcome.next : undefined;
    return { outcome, block: walk?.block() ?? head, etag, next: key && walk?.next(key) };
  }

  /** Converts an expected failure to an error object; throws any other again. */
  function toRpcError(thrown: unknown, { log }: ServedChain): Made {
    const known = rpcErrorOf(thrown);
    if (!known) throw thrown;
    log.warn({ err: thrown }, "request failed");
    return { outcome: rpcError(known.code, known.error) };
  }

  return async (action, request, dialect, chain, asker) => {
    const waits = createWaits();
    const isFile = fileFormatOf(action, lookUp(request.input, "format")) !== undefined;
    const work = run(action, request.input, dialect, chain, asker, waits);
    const timely = inTime(work, requestTimeoutMs, waits.late);
    const made = await timely.catch((thrown) => {
      if (action.envelope === "proxy") return toRpcError(thrown, chain);
      throw isFile ? refuseFile(thrown) : thrown;
    });
    const { block } = made;
    if ("unchanged" in made) {
      return { httpStatus: 304, contentType: "", body: "", block, etag: made.unchanged };
    }
    if ("file" in made) return { ...made, httpStatus: 200, body: "" };
    const { outcome, etag, next } = made;
    const answer = answerOf(action, outcome, request.id, dialect);
    const httpStatus = isFile && answer.httpStatus === 200 ? 400 : answer.httpStatus;
    return { ...answer, httpStatus, block, etag, next };
  };
}

function answerOf(
  action: Action,
  outcome: Outcome<unknown>,
  id: RpcId | undefined,
  dialect: Dialect,
): Answer {
  if (action.envelope === "proxy") return bounded(proxyAnswer(outcome));
  if (action.envelope === "json-rpc") {
    return rpcAnswer(outcome, action.id ?? id ?? DEFAULT_RPC_ID);
  }
  const empty = action.empty === undefined ? undefined : forDialect(action.empty, dialect);
  return explorerAnswer(outcome, dialect, empty);
}

/** Refuses a node's answer above our own limit. */
function bounded(answer: Answer): Answer {
  return answer.body.length <= MAXIMUM_ANSWER
    ? answer
    : proxyAnswer(rpcError("too-large", { code: -32_000, message: TOO_LARGE }));
}

/** Collects the action's parameters; ignores all others. */
function collect(action: Action, input: Input, dialect: Dialect): RawParameters {
  const defaults = dialect === "etherscan" ? action.etherscanDefaults : undefined;
  const parameters: Record<string, RawParameters[string]> = {};
  for (const name of Object.keys(paramsIn(action, dialect).shape)) {
    const sent = lookUp(input, name);
    const isAbsent = sent === undefined || (sent === "" && action.emptyIsAbsent);
    parameters[name] = isAbsent ? defaults?.[name] : sent;
  }
  return parameters;
}

/** Returns absent parameters before invalid values; both in the order of the action's declaration. */
function invalidParameters(
  action: Action,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  parameters: RawParameters,
): Outcome<unknown> {
  const complaints = issues.map(({ path, message }) => ({ name: String(path[0]), text: message }));
  const absent = complaints.filter(({ name }) => parameters[name] === undefined);
  const first = absent[0] ?? complaints[0];
  if (!first) throw new TypeError(`${action.name} refused its parameters without a reason`);
  const text =
    absent.length > 0 && action.missing
      ? action.missing(absent.map(({ name }) => name))
      : first.text;
  const code = absent.length > 0 ? "missing-parameter" : "invalid-parameter";
  // The texts of `missing` name them in alphabetical order.
  const [named = first.name] = action.missing ? absent.map(({ name }) => name).toSorted() : [];
  return failed(code, text, { parameter: named, ...action.refuse?.(text) });
}
