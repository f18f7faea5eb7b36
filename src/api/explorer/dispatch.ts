import { forCaller } from "../../chain/caller-chain.ts";
import { createUnresponsiveContracts } from "../../chain/state/unresponsive-contracts.ts";
import type { SoftwareVersion } from "../../core/software-version.ts";
import { MAXIMUM_ANSWER, type PageRange } from "../../store/lists/large-pages.ts";
import type { Order } from "../../store/lists/page.ts";
import { getServedState } from "../../store/sync-state.ts";
import { type Answer, tagOfHead } from "../http/answer.ts";
import { rpcErrorOf, TOO_LARGE } from "../http/failures.ts";
import { type Input, lookUp, type ParsedRequest } from "../http/input/form.ts";
import {
  createLargeAnswers,
  createWaits,
  inTime,
  type Waits,
  waitingInTime,
} from "../reading/bounds.ts";
import { type Read, requireSynchronised, resultOnOneState } from "../reading/snapshot.ts";
import { perChain, type ServedChain } from "../serving/served-chain.ts";
import { type Action, type Context, paramsIn, type RawParameters } from "./action.ts";
import { readWalk } from "./cursor.ts";
import {
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
import { createMempool } from "./from-node/transactions/unindexed.ts";
import { createGasOracle } from "./gas.ts";
import {
  fileAnswer,
  fileFormatOf,
  LONGEST_FILE_MS,
  nameOfFile,
  openFile,
  refuseFile,
  rowsOfFile,
} from "./list-file.ts";
import { pageRange, refuseWindow } from "./params.ts";

/** Runs an action and returns the answer in its envelope, or 304 for a client's current copy. Throws the handler's errors. */
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

export interface DispatchOptions extends SoftwareVersion {
  /** Time limit of an answer, see `inTime`. */
  requestTimeoutMs: number;
}

/** Creates the dispatcher of a server. */
export function createDispatch(
  { version, commit, requestTimeoutMs }: DispatchOptions,
  usageOf: Context["usageOf"],
): Dispatch {
  const program = `${version};${commit}`;
  const gasOracleOf = perChain(({ chain }) => createGasOracle(chain));
  const unresponsiveOf = perChain(() => createUnresponsiveContracts());
  const mempoolOf = perChain(({ chain }) => createMempool(chain));

  async function run(
    ...[action, { input, id }, dialect, served, { client, signal, known }, waits]: [
      ...Parameters<Dispatch>,
      Waits,
    ]
  ): Promise<Answer> {
    const { sql, ...services } = served;
    const present = (outcome: Outcome<unknown>) => answerOf(action, outcome, id, dialect);
    const parameters = collect(action, input, dialect);
    const schema = paramsIn(action, dialect);
    const beyond = action.anyPage ? undefined : refuseWindow(schema.shape, parameters);
    const complaint = beyond ?? action.check?.(parameters);
    if (complaint !== undefined) return present(complaint);
    const parsed = schema.safeParse(parameters);
    if (!parsed.success) return present(invalidParameters(action, parsed.error.issues, parameters));
    const { data } = parsed;
    const format = fileFormatOf(action, data["format"]);
    const rows = format ? rowsOfFile(parameters) : Number(data["offset"]);
    const walk = readWalk(action, dialect, data, rows);
    if (walk && "kind" in walk) return present(walk);
    const isOfHead =
      forDialect(action.changesWithHead ?? false, dialect) &&
      !walk &&
      !action.asksForSources?.(data);
    if (isOfHead && known.length > 0) {
      const { head, isIndexed, isWhole } = await getServedState(sql);
      const etag = head && tagOfHead(head, program);
      if (etag && isIndexed && isWhole && known.includes(etag))
        return { httpStatus: 304, contentType: "", body: "", block: head, etag };
    }
    if (action.isSubmission) await requireSynchronised(sql);
    const asker = { caller: client, signal };
    const context = {
      ...services,
      chain: forCaller(asker, served.chain),
      verifier: waitingInTime(served.verifier, requestTimeoutMs),
      largeAnswers: createLargeAnswers(sql),
      gasOracle: gasOracleOf(served),
      unresponsive: unresponsiveOf(served),
      mempool: mempoolOf(served),
      usageOf,
      client,
      signal,
      dialect,
      order: (data["sort"] ?? (dialect === "etherscan" ? "asc" : "desc")) as Order,
      sent: input,
    };
    const handle = (read: Read, page: PageRange) => action.handle({ ...context, read, page }, data);
    const readAs = (read: Read) => (walk ? walk.pin(waits.watch(read)) : waits.watch(read));
    if (walk && format) {
      const request = { action, dialect, format, sql, client, signal, rows, page: handle };
      const made = await openFile({ ...request, after: walk.page.after ?? [] }, (query) =>
        resultOnOneState(sql, (read) => readAs(read)(query), { asker }),
      );
      if (made.kind !== "file") return present(made);
      const block = walk.block() ?? made.head;
      const name = nameOfFile(served.chainId(), action, data, block.number);
      const next = made.next && walk.next(made.next);
      return { ...fileAnswer(made, `${name}.${format}`), block, next };
    }
    const { result: outcome, head } = await resultOnOneState(
      sql,
      (read) => handle(readAs(read), walk?.page ?? pageRange(data)),
      { servedWhileLoading: action.servedWhileLoading, asker },
    );
    const etag = isOfHead && head ? tagOfHead(head, program) : undefined;
    const key = outcome.kind === "ok" ? outcome.next : undefined;
    const next = key && walk?.next(key);
    return { ...present(outcome), block: walk?.block() ?? head, etag, next };
  }

  return async (action, request, dialect, chain, asker) => {
    const waits = createWaits();
    const isFile = fileFormatOf(action, lookUp(request.input, "format")) !== undefined;
    const work = run(action, request, dialect, chain, asker, waits);
    const timely = inTime(work, isFile ? LONGEST_FILE_MS : requestTimeoutMs, waits.late);
    const answer = await timely.catch((thrown) => {
      const known = action.envelope === "proxy" ? rpcErrorOf(thrown) : undefined;
      if (!known) throw isFile ? refuseFile(thrown) : thrown;
      chain.log.warn({ err: thrown }, "request failed");
      return answerOf(action, rpcError(known.code, known.error), undefined, dialect);
    });
    const isRefused = isFile && !answer.file && answer.httpStatus === 200;
    return isRefused ? { ...answer, httpStatus: 400 } : answer;
  };
}

function answerOf(
  action: Action,
  outcome: Outcome<unknown>,
  id: RpcId | undefined,
  dialect: Dialect,
): Answer {
  if (action.envelope === "json-rpc") return rpcAnswer(outcome, action.id ?? id ?? 1);
  if (action.envelope === "proxy") {
    const answer = proxyAnswer(outcome);
    return answer.body.length <= MAXIMUM_ANSWER
      ? answer
      : proxyAnswer(rpcError("too-large", { code: -32_000, message: TOO_LARGE }));
  }
  const empty = action.empty === undefined ? undefined : forDialect(action.empty, dialect);
  return explorerAnswer(outcome, dialect, empty);
}

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
  const [first] = [...absent, ...complaints];
  if (!first) throw new TypeError(`${action.name} refused its parameters without a reason`);
  const names = absent.map(({ name }) => name);
  const text = (names.length > 0 && action.missing?.(names)) || first.text;
  const code = names.length > 0 ? "missing-parameter" : "invalid-parameter";
  // The texts of `missing` name them in alphabetical order.
  const [named = first.name] = action.missing ? names.sort() : [];
  return failed(code, text, { parameter: named, ...action.refuse?.(text) });
}
