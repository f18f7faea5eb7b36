import type { Address } from "viem";
import { mapLimit } from "../../src/core/async.ts";
import type { JsonRpc } from "../support/oracle/json-rpc.ts";
import type { Random } from "../support/world/random.ts";
import type { Kind } from "./kind.ts";
import type { Named } from "./named.ts";
import type { Dialect, Product, Served } from "./product.ts";
import { GoneError, readTruth, type Truth } from "./truth.ts";

// The answers about one pair, which are the contract's word at the head that they name.

/** An answer that differs from the contract's: its class and content. */
export interface Difference {
  kind: string;
  action: string;
  said: string;
  /** A list or a fact, which may take a while. */
  isLate?: boolean;
}

interface Question {
  kind: Kind;
  dialect: Dialect;
  parameters: Record<string, string>;
  /** Says what is wrong with an answer. */
  judge(truth: Truth, answer: Served): string | undefined;
}

export interface Asked {
  rpc: JsonRpc;
  product: Product;
  random: Random;
  named: Named;
}

const AT_ONCE = 6;
const MOST_HOLDERS = 12;

/** Asks what must be the contract's word at once about these tokens; returns what is not. */
export async function judgeAtOnce(
  { rpc, product, random, named }: Asked,
  kinds: readonly Kind[],
): Promise<Difference[]> {
  const questions = kinds.flatMap((kind) => questionsAbout(kind, named, random));
  const answers = await mapLimit(questions, AT_ONCE, (one) =>
    product.ask(one.dialect, one.parameters),
  );
  const truths = new Map<string, Promise<Truth>>();
  const differences: Difference[] = [];
  for (const [index, question] of questions.entries()) {
    const { kind, parameters, dialect } = question;
    const answer = answers[index] as Served;
    const head = answer.head ?? named.head.hash;
    const key = `${head} ${kind.address}`;
    const asked = holdersOf(named, kind.address);
    const truth =
      truths.get(key) ?? readTruth(rpc, head, kind.address, asked, named.ids(kind.address));
    truths.set(key, truth);
    try {
      const wrong = question.judge(await truth, answer);
      if (wrong === undefined) continue;
      const said = `${dialect} ${JSON.stringify(parameters)}: ${wrong}`;
      differences.push({ kind: kind.name, action: parameters["action"] ?? "", said });
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
    }
  }
  return differences;
}

/** The first of those that the chain names to the token. */
function holdersOf(named: Named, token: Address): Address[] {
  return named.holders(token).slice(0, MOST_HOLDERS);
}

function questionsAbout(kind: Kind, named: Named, random: Random): Question[] {
  const contractaddress = kind.address;
  const question = (parameters: Record<string, string>, judge: Question["judge"]): Question => ({
    kind,
    dialect: random.pick(["/api", "/v2/api"]),
    parameters: { ...parameters, contractaddress },
    judge,
  });
  const judgeSupply = (of: (answer: Served) => unknown): Question["judge"] => {
    return ({ hasCode, supply }, answer) => {
      const found = answer.status === "1" ? of(answer) : undefined;
      if (!hasCode || supply === null) {
        const isNothing = [undefined, null, "", "0"].includes(found as string);
        return isNothing ? undefined : `should be nothing, is ${found}`;
      }
      return found === String(supply) ? undefined : differs(supply, found, answer);
    };
  };
  const supplies = kind.unjudged?.includes("lists")
    ? []
    : [
        question(
          { module: "stats", action: "tokensupply" },
          judgeSupply(({ result }) => result),
        ),
        question(
          { module: "token", action: "getToken" },
          judgeSupply(({ result }) => result?.totalSupply),
        ),
        question(
          { module: "token", action: "tokeninfo" },
          judgeSupply(({ result }) => result?.[0]?.totalSupply),
        ),
      ];
  const pairs = holdersOf(named, kind.address).flatMap((address) => [
    question({ module: "account", action: "tokenbalance", address }, (truth, answer) => {
      const balance = truth.hasCode ? truth.balances.get(address) : null;
      if (answer.status !== "1") {
        return balance === null || balance === undefined
          ? undefined
          : differs(balance, undefined, answer);
      }
      const right = balance ?? 0n;
      return answer.result === String(right) ? undefined : differs(right, answer.result, answer);
    }),
    question(
      { module: "account", action: "addresstokennftinventory", address },
      ({ standard, owners, balances }, answer) => {
        if (standard === "ERC-1155" || kind.unjudged?.includes("type")) return undefined;
        const right = [...owners].flatMap(([id, owner]) => (owner === address ? String(id) : []));
        // The contract counts ids that no transfer named: the list is refused.
        const counted = balances.get(address) ?? 0n;
        if (answer.status !== "1" && counted > BigInt(right.length)) return undefined;
        if (!Array.isArray(answer.result)) return differs(sorted(right), undefined, answer);
        const rows = answer.result;
        const found = rows.map(({ TokenId }: { TokenId: string }) => TokenId);
        // Ids that a range names (ERC-2309) may be there.
        const isRight = found.every((id) => right.includes(id));
        const ids = right.filter(
          (id) => isRight && !named.inRanges(contractaddress, BigInt(id), answer.head),
        );
        return isRight && ids.every((id) => found.includes(id))
          ? undefined
          : differs(sorted(right), sorted(found), answer);
      },
    ),
  ]);
  return [...supplies, ...pairs];
}

function sorted(ids: readonly string[]): string {
  return [...ids].sort((a, b) => Number(a) - Number(b)).join(",");
}

function differs(right: unknown, found: unknown, { status, message, result }: Served): string {
  return found === undefined
    ? `should be ${right}, is refused: ${status} ${message} ${JSON.stringify(result)?.slice(0, 120)}`
    : `should be ${right}, is ${found}`;
}
