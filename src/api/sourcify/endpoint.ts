import type { z } from "zod";
import type { Context } from "../action.ts";
import type { Answer } from "../envelope.ts";
import type { ServedChain } from "../served-chain.ts";

/** What a handler of Sourcify's dialect works with for one request. */
export interface SourcifyContext
  extends Omit<Context, "dialect" | "sent" | "usageOf" | "gasOracle"> {
  networkName: string | undefined;
  /** All chains that the request may mean. */
  chains: readonly ServedChain[];
}

/** A request as it was sent, its parts not yet looked at. */
export interface SourcifyRequest {
  /** The URL's path as it was sent. */
  path: string;
  /** Parts of the path by their names. */
  parameters: Readonly<Record<string, string>>;
  /** The value of a name of the query; the last one counts, an empty one as none. */
  query(name: string): string | undefined;
  /** The JSON object in the body. Throws `SourcifyError`. */
  body(): Record<string, unknown>;
}

/** What is answered with one HTTP status. */
export interface DescribedAnswer {
  description: string;
  /** Absent: an answer without a body of JSON. */
  schema?: z.ZodType;
}

/** One endpoint of Sourcify's dialect: the only place that describes it. */
export interface Endpoint {
  /** For the log, metrics and documentation. */
  name: string;
  method: "GET" | "POST";
  /** Below the base, with `{name}` for the parts that a request fills in. */
  path: string;
  /** One line for people, without a full stop. */
  summary: string;
  /** Parts of the query, all of them text. */
  query?: Readonly<Record<string, string>>;
  /** Of a submission: what its body is. */
  body?: z.ZodType;
  /** By HTTP status; error objects aside. */
  answers: Readonly<Record<number, DescribedAnswer>>;
  /** The chain that is asked, where the path does not name it: else the first one. */
  chainOf?(
    request: SourcifyRequest,
    chains: readonly ServedChain[],
  ): Promise<ServedChain | undefined>;
  handle(context: SourcifyContext, request: SourcifyRequest): Promise<SourcifyAnswer>;
}

/** An answer, and where it sends the client. */
type SourcifyAnswer = Answer & { location?: string };
