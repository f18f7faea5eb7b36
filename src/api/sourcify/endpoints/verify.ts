import { z } from "zod";
import { RequestError } from "../../../core/errors.ts";
import { isHash } from "../../../core/evm/hex.ts";
import { isRecord } from "../../../core/json/record.ts";
import type { VerificationRequest } from "../../../verification/request.ts";
import {
  isNodeUnreachable,
  LIMIT_TEXTS,
  SOURCES_TOO_LARGE,
} from "../../explorer/modules/contract/verification/submission.ts";
import { jsonAnswer } from "../../http/answer.ts";
import {
  type DescribedAnswer,
  type Endpoint,
  invalid,
  requireAddress,
  requireChain,
  type SourcifyContext,
  SourcifyError,
} from "../endpoint.ts";

/** The answer to an accepted submission. */
const accepted: Readonly<Record<number, DescribedAnswer>> = {
  202: { description: "A job was started", schema: z.object({ verificationId: z.string() }) },
};

/** Seconds until a retry may succeed: a job takes a second to a minute, and hourly counts expire one by one. */
const RETRY_SECONDS = { "queue-full": 60, "client-full": 60, "too-many": 600 } as const;

/** Submits a request. The job checks for code at the address: clients expect that error there. */
async function submit({ verifier, client }: SourcifyContext, request: VerificationRequest) {
  const submission = await verifier
    .submit(request, client, { withoutCode: true })
    .catch((error: unknown) => {
      if (!isNodeUnreachable(error)) throw error;
      throw new RequestError(503, "node-unreachable", "The node cannot be reached now");
    });
  const { outcome } = submission;
  switch (outcome) {
    case "accepted":
      return jsonAnswer({ verificationId: submission.guid }, 202);
    case "already-verified": {
      const text = `The contract ${request.address} is already verified`;
      throw new SourcifyError(409, "already_verified", text);
    }
    case "too-large":
      throw new RequestError(413, "too-long", SOURCES_TOO_LARGE);
    case "no-code":
    case "no-metadata":
      throw new TypeError(`a submission was refused for ${outcome}`);
    default: {
      const retryAfterSeconds = RETRY_SECONDS[outcome];
      const text = LIMIT_TEXTS[outcome];
      throw new SourcifyError(429, "too_many_requests", text, { retryAfterSeconds });
    }
  }
}

/** Checks the body of a request by a schema with error texts. Throws `SourcifyError` for the first fault. */
function checkBody(schema: z.ZodType, body: unknown): void {
  const [fault] = schema.safeParse(body).error?.issues ?? [];
  if (!fault) return;
  const [name, file] = fault.path.map(String);
  if (fault.message.startsWith("The language")) {
    throw new SourcifyError(400, "unsupported_language", fault.message);
  }
  const isFile =
    (name === "sources" && file !== undefined) ||
    (fault.path.length > 2 && name === "stdJsonInput" && fault.path[1] === "sources");
  const which = String(fault.path[name === "sources" ? 1 : 2])
    .trimEnd()
    .slice(0, 500);
  throw invalid(name ?? "", isFile ? fault.message.replace("%", () => which) : fault.message);
}

/** Adds a blank to the names, since zod's record leaves out `__proto__`. */
function underAnyName<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(
    (value) =>
      isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [`${name} `, one]))
        : value,
    schema,
  );
}

function language<const Languages extends readonly string[]>(of: string, languages: Languages) {
  return z.enum(languages, {
    error: ({ input }) =>
      typeof input === "string"
        ? `The language ${input.slice(0, 100)} is not supported`
        : `${of}.language is missing`,
  });
}

const isVersion = (text: string) => /^v?\d+\.\d+\.\d+/.test(text);
const VERSION = "compilerVersion is to be a version such as 0.8.28+commit.7893614a";
const IDENTIFIER = "contractIdentifier is to be a path and a name such as src/C.sol:C";
const CREATION = "creationTransactionHash is to be 0x and 64 hex digits";
/** A field of both submissions. It is checked but not used, since the index has the hash. */
const creationTransactionHash = z
  .string(CREATION)
  .refine(isHash, CREATION)
  .optional()
  .describe("Hash of the creation transaction; not needed, the index knows it");

const NO_CONTENT = "stdJsonInput.sources: the content of % is missing";
const NO_SOURCES = "stdJsonInput.sources is missing";
const source = z.looseObject({ content: z.string(NO_CONTENT) }, NO_CONTENT);
const stdJsonInput = {
  language: language("stdJsonInput", ["Solidity", "Yul", "Vyper"]),
  sources: underAnyName(
    z
      .record(z.string(), source, NO_SOURCES)
      .refine((sources) => Object.keys(sources).length > 0, NO_SOURCES),
  ),
  settings: z.record(z.string(), z.unknown(), "stdJsonInput.settings is missing"),
};

const body = z.object({
  stdJsonInput: z
    .looseObject(stdJsonInput, "stdJsonInput is to be an object")
    .describe("Input of the compiler; its outputSelection is replaced"),
  compilerVersion: z.string(VERSION).refine(isVersion, VERSION).meta({
    description: "Long version of the compiler, with or without v",
    example: "0.8.28+commit.7893614a",
  }),
  contractIdentifier: z
    .string(IDENTIFIER)
    .refine((text) => text.includes(":"), IDENTIFIER)
    .meta({ description: "Path and name, the last colon between them", example: "src/C.sol:C" }),
  creationTransactionHash,
});

const NO_VERSION = "metadata.compiler.version is missing";
const NO_TARGET = "metadata.settings.compilationTarget is to name one contract";
const NO_TEXTS = "sources is to be an object of texts";
const version = z
  .string(NO_VERSION)
  .refine((text) => /^v?\d+\.\d+\.\d+[^"\\]{0,80}$/.test(text), NO_VERSION);
const compilationTarget = z
  .record(z.string(), z.string(NO_TARGET), NO_TARGET)
  .refine((target) => Object.keys(target).length === 1, NO_TARGET);
const metadata = {
  compiler: z.object({ version }, NO_VERSION),
  language: language("metadata", ["Solidity", "Yul"]),
  settings: z.looseObject({ compilationTarget }, NO_TARGET),
  sources: z.record(z.string(), z.unknown(), "metadata.sources is missing"),
};

const metadataBody = z.object({
  metadata: z
    .looseObject(metadata, "metadata is to be an object")
    .describe("The compiler's metadata"),
  sources: underAnyName(
    z.record(z.string(), z.string("sources: the text of % is missing"), NO_TEXTS),
  ).describe("Texts under any names; they are found by their hashes"),
  creationTransactionHash,
});

/** The submissions. */
export const submissionEndpoints: Readonly<Record<string, Endpoint>> = {
  verify: {
    path: "/v2/verify/{chainId}/{address}",
    summary: "Submits standard JSON for verification",
    body,
    answers: accepted,
    async handle(context, request) {
      requireChain(context, request);
      const address = requireAddress(request);
      const sent = request.body();
      checkBody(body, sent);
      const { stdJsonInput, compilerVersion, contractIdentifier } = sent as z.output<typeof body>;
      const format = stdJsonInput.language === "Vyper" ? "vyper-json" : "standard-json";
      const input = JSON.stringify(stdJsonInput);
      return submit(context, { format, input, address, name: contractIdentifier, compilerVersion });
    },
  },
  "verify-metadata": {
    path: "/v2/verify/metadata/{chainId}/{address}",
    summary: "Submits the compiler's metadata and the sources it names for verification",
    body: metadataBody,
    answers: accepted,
    async handle(context, request) {
      requireChain(context, request);
      const address = requireAddress(request);
      const body = request.body();
      checkBody(metadataBody, body);
      const { metadata, sources } = body as z.output<typeof metadataBody>;
      const { compiler, language, settings, sources: named, ...others } = metadata;
      // The compiler's version is found in this form.
      const ordered = { compiler: { version: compiler.version }, language, settings };
      const text = JSON.stringify({ ...ordered, sources: named, ...others });
      const files = Object.entries(sources).map(([path, source]) => ({ path, text: source }));
      const file = { path: "metadata.json", text };
      return submit(context, { format: "metadata-files", address, files: [file, ...files] });
    },
  },
};
