import { call } from "viem/actions";
import { z } from "zod";
import type { CallerChain } from "../../../../chain/caller-chain.ts";
import { nodeErrorIn } from "../../../../chain/errors/errors.ts";
import { ChainError } from "../../../../core/errors.ts";
import type { Address } from "../../../../core/evm/address.ts";
import { type Hex, hexToBytes, isHexData, lowerHex } from "../../../../core/evm/hex.ts";
import type { Queryable } from "../../../../db/client.ts";
import { getCreationFacts } from "../../../../store/contracts/creations.ts";
import { getLookupParts, getVerifiedMatch } from "../../../../store/contracts/verified/lookup.ts";
import { listSources } from "../../../../store/contracts/verified/verified-contract.ts";
import type { TransactionDetail } from "../../../../store/lists/transactions.ts";
import type { VerifiedSource } from "../../../../verification/engine/verified-source.ts";
import { lineAt, type SourceLine } from "../../../../verification/source-lines.ts";
import type { Context } from "../../action.ts";
import { askOnce } from "../../forwarding.ts";
import * as wire from "../../wire.ts";

/** Runs a failed call again before its block and returns what it returned; undefined when unknown. Throws `ChainError`. */
export async function fetchRevertData(
  { chain }: Pick<Context, "chain">,
  transaction: TransactionDetail,
): Promise<Hex | undefined> {
  const { blockNumber, parentHash } = transaction;
  const parent = Math.max(blockNumber - 1, 0);
  const data = await fetchFailure(chain, transaction, parent);
  // The call names the block by number, since some nodes find no state by hash. So the block's hash is checked.
  const header = data === undefined ? null : await chain.fetchHeader(parent);
  if (header && header.hash !== parentHash) {
    throw new ChainError("block-replaced", `block ${parent} is another one by now`);
  }
  return data;
}

/** Returns the failure of the transaction's call on the state after a block. */
async function fetchFailure(
  chain: Context["chain"],
  { from, to, gas, value, input }: TransactionDetail,
  blockNumber: number,
): Promise<Hex | undefined> {
  try {
    await call(chain.viem(), {
      account: from,
      ...(to && { to }),
      gas: BigInt(gas),
      value: BigInt(value),
      data: input,
      blockNumber: BigInt(blockNumber),
    });
    return undefined;
  } catch (thrown) {
    const error = nodeErrorIn(thrown);
    if (!error) throw thrown;
    if (error.code === "out-of-gas") return "0x";
    if (error.code !== "reverted") return undefined;
    const data = error.answer?.data;
    return isHexData(data) ? lowerHex(data) : "0x";
  }
}

/** Most calls; the outermost ones are left out. */
const MOST_CALLS = 8;
/** Number of last steps that are kept of a call: the last ones may be in code without a source line, such as a panic's. */
const KEPT_STEPS = 64;

/**
 * Runs at the node and collects the calls through which a revert passed, the innermost first: the code's address (null for a
 * creation) and the program counters of the last steps, newest first. A caller with other return data reverted for its own reason.
 */
const TRACER = `{
  frames: [{ code: null, steps: [], failed: null }],
  step: function (log) {
    var steps = this.frames[this.frames.length - 1].steps;
    if (steps.push(log.getPC()) > ${KEPT_STEPS}) steps.shift();
  },
  fault: function () {},
  enter: function (call) {
    var code = call.getType().indexOf("CREATE") === 0 ? null : toHex(call.getTo());
    this.frames.push({ code: code, steps: [], failed: null });
  },
  exit: function (result) {
    var frame = this.frames.pop(), output = result.getOutput();
    frame.output = output ? toHex(output) : "0x";
    this.frames[this.frames.length - 1].failed = result.getError() ? frame : null;
  },
  result: function (context) {
    var root = this.frames[0], path = [];
    root.code = context.type === "CREATE" ? null : toHex(context.to);
    root.output = toHex(context.output);
    for (var frame = root; frame && frame.output === root.output; frame = frame.failed)
      path.unshift({ code: frame.code, steps: frame.steps.reverse() });
    return path.slice(0, ${MOST_CALLS});
  }
}`;

const Calls = z
  .array(z.object({ code: wire.address.nullable(), steps: z.array(z.int()).max(KEPT_STEPS) }))
  .max(MOST_CALLS);

export interface RevertLine extends SourceLine {
  address: Address;
  contractName: string;
}

/** Returns the calls through which the revert of a transaction passed; undefined if the node does not run such a tracer. Throws `ChainError`. */
export async function fetchRevertedCalls(chain: CallerChain, hash: Hex) {
  const trace = await askOnce(chain, "debug_traceTransaction", hash, { tracer: TRACER });
  return Calls.safeParse(trace).data;
}

/** Returns the lines of these calls where their contracts are verified. */
export async function findRevertLines(
  sql: Queryable,
  calls: z.output<typeof Calls>,
  blockNumber: number,
): Promise<RevertLine[]> {
  const lines: RevertLine[] = [];
  for (const { code, steps } of calls) {
    const line = code && (await findLine(sql, code as Address, blockNumber, steps));
    if (line) lines.push(line);
  }
  return lines;
}

async function findLine(
  sql: Queryable,
  address: Address,
  blockNumber: number,
  steps: readonly number[],
): Promise<RevertLine | undefined> {
  if (!(await getVerifiedMatch(sql, address))) return undefined;
  const parts = await getLookupParts(sql, address, [
    ...(["contractName", "compilation", "sourceIds", "runtimeSourceMap"] as const),
  ]);
  const { contractName = "", compilation = "{}", sourceIds, runtimeSourceMap } = parts;
  const { compiledRuntime, runtimeMatch } = JSON.parse(compilation) as VerifiedSource;
  const created = await getCreationFacts(sql, address);
  const isLater = created !== undefined && created.blockNumber > blockNumber;
  if (!runtimeMatch || !sourceIds || !runtimeSourceMap || isLater) return undefined;
  const numbers = JSON.parse(sourceIds) as Record<string, { id: number } | undefined>;
  const sources = await listSources(sql, address);
  const files = new Map(sources.map((file) => [numbers[file.path]?.id ?? -1, file]));
  const line = lineAt(steps, hexToBytes(compiledRuntime.code), runtimeSourceMap, files);
  return line && { address, contractName, ...line };
}
