import { z } from "zod";
import { RequestError } from "../../../core/errors.ts";
import { isHash } from "../../../core/evm/hex.ts";
import { isRecord } from "../../../core/json/record.ts";
import type { SourceFile } from "../../../store/contracts/verified/verified-contract.ts";
import type { VerificationRequest } from "../../../verification/request.ts";
import { type Answer, jsonAnswer } from "../../explorer/envelope.ts";
import {
  isNodeUnreachable,
  LIMIT_TEXTS,
  SOURCES_TOO_LARGE,
} from "../../explorer/modules/contract/verification/submit.ts";
import {
  type DescribedAnswer,
  type Endpoint,
  requireAddress,
  requireChain,
  type SourcifyContext,
} from "../endpoint.ts";
import { invalid, SourcifyError } from "../errors.ts";

/** The answer to an accepted submission. */
const accepted: Readonly<Record<number, DescribedAnswer>> = {
  202: { description: "A job was started", schema: z.object({ verificationId: z.string() }) },
};

/** Seconds. A job takes a second to a minute; hourly counts expire one by one. */
const RETRY_SECONDS = { "queue-full": 60, "client-full": 60, "too-many": 600 } as const;

/** Submits a request. The job checks for code at the address: clients expect that error there. */
async function submit(
  { verifier, client }: SourcifyContext,
  request: VerificationRequest,
): Promise<Answer> {
  const submission = await verifier
    .submit(request, client, { withoutCode: true })
    .catch((error: unknown) => {
      if (!isNodeUnreachable(error)) throw error;
      throw new RequestError(503, "node-unreachable", "The node cannot be reached now");
    });
  switch (submission.outcome) {
    case "accepted":
      return jsonAnswer({ verificationId: submission.guid }, 202);
    case "already-verified":
      throw new SourcifyError(
        409,
        "already_verified",
        `The contract ${request.address} is already verified`,
      );
    case "queue-full":
    case "client-full":
    case "too-many":
      throw new SourcifyError(429, "too_many_requests", LIMIT_TEXTS[submission.outcome], {
        retryAfterSeconds: RETRY_SECONDS[submission.outcome],
      });
    case "too-large":
      throw new RequestError(413, "too-long", SOURCES_TOO_LARGE);
    case "no-code":
    case "no-metadata":
      throw new TypeError(`a submission was refused for ${submission.outcome}`);
  }
}

const FORMATS: Readonly<Record<string, "standard-json" | "vyper-json">> = {
  Solidity: "standard-json",
  Yul: "standard-json",
  Vyper: "vyper-json",
};

/** Field of both submissions. */
const creationTransactionHash = z
  .string()
  .optional()
  .describe("Hash of the creation transaction; not needed, the index knows it");

const body = z.object({
  stdJsonInput: z
    .looseObject({
      language: z.enum(["Solidity", "Yul", "Vyper"]),
      sources: z.record(z.string(), z.looseObject({ content: z.string() })),
      settings: z.record(z.string(), z.unknown()),
    })
    .describe("Input of the compiler; its outputSelection is replaced"),
  compilerVersion: z.string().meta({
    description: "Long version of the compiler, with or without v",
    example: "0.8.28+commit.7893614a",
  }),
  contractIdentifier: z
    .string()
    .meta({ description: "Path and name, the last colon between them", example: "src/C.sol:C" }),
  creationTransactionHash,
});

export const verify: Endpoint = {
  name: "verify",
  path: "/v2/verify/{chainId}/{address}",
  summary: "Submits standard JSON for verification",
  body,
  answers: accepted,
  async handle(context, request) {
    requireChain(context, request);
    const address = requireAddress(request);
    const { stdJsonInput, compilerVersion, contractIdentifier, ...sent } = request.body();
    const format = formatOf(stdJsonInput);
    if (typeof compilerVersion !== "string" || !/^v?\d+\.\d+\.\d+/.test(compilerVersion)) {
      throw invalid(
        "compilerVersion",
        "compilerVersion is to be a version such as 0.8.28+commit.7893614a",
      );
    }
    if (typeof contractIdentifier !== "string" || !contractIdentifier.includes(":")) {
      throw invalid(
        "contractIdentifier",
        "contractIdentifier is to be a path and a name such as src/C.sol:C",
      );
    }
    requireCreationHash(sent["creationTransactionHash"]);
    const input = JSON.stringify(stdJsonInput);
    const common = { address, name: contractIdentifier, compilerVersion };
    return submit(context, { format, input, ...common });
  },
};

/** Returns the form of the input. Throws `SourcifyError` for an incomplete one. */
function formatOf(input: unknown): "standard-json" | "vyper-json" {
  if (!isRecord(input)) throw invalid("stdJsonInput", "stdJsonInput is to be an object");
  const { language, sources, settings } = input;
  if (typeof language !== "string")
    throw invalid("stdJsonInput", "stdJsonInput.language is missing");
  const format = Object.hasOwn(FORMATS, language) ? FORMATS[language] : undefined;
  if (format === undefined) {
    const text = `The language ${language.slice(0, 100)} is not supported`;
    throw new SourcifyError(400, "unsupported_language", text);
  }
  if (!isRecord(sources) || Object.keys(sources).length === 0) {
    throw invalid("stdJsonInput", "stdJsonInput.sources is missing");
  }
  for (const [path, source] of Object.entries(sources)) {
    if (!isRecord(source) || typeof source["content"] !== "string") {
      throw invalid(
        "stdJsonInput",
        `stdJsonInput.sources: the content of ${path.slice(0, 500)} is missing`,
      );
    }
  }
  if (!isRecord(settings)) throw invalid("stdJsonInput", "stdJsonInput.settings is missing");
  return format;
}

/** Checks the form of the creation's hash, which the index has itself. Throws `SourcifyError`. */
function requireCreationHash(hash: unknown): void {
  if (hash !== undefined && !isHash(hash)) {
    throw invalid(
      "creationTransactionHash",
      "creationTransactionHash is to be 0x and 64 hex digits",
    );
  }
}

const metadataBody = z.object({
  metadata: z
    .looseObject({
      compiler: z.object({ version: z.string() }),
      language: z.enum(["Solidity", "Yul"]),
      settings: z.looseObject({ compilationTarget: z.record(z.string(), z.string()) }),
      sources: z.record(z.string(), z.unknown()),
    })
    .describe("The compiler's metadata"),
  sources: z
    .record(z.string(), z.string())
    .describe("Texts under any names; they are found by their hashes"),
  creationTransactionHash,
});

export const verifyMetadata: Endpoint = {
  name: "verify-metadata",
  path: "/v2/verify/metadata/{chainId}/{address}",
  summary: "Submits the compiler's metadata and the sources it names for verification",
  body: metadataBody,
  answers: accepted,
  async handle(context, request) {
    requireChain(context, request);
    const address = requireAddress(request);
    const { metadata, sources, ...sent } = request.body();
    const text = readMetadata(metadata);
    if (!isRecord(sources)) throw invalid("sources", "sources is to be an object of texts");
    const files = Object.entries(sources).map(([path, source]): SourceFile => {
      if (typeof source === "string") return { path, text: source };
      throw invalid("sources", `sources: the text of ${path.slice(0, 500)} is missing`);
    });
    requireCreationHash(sent["creationTransactionHash"]);
    const file = { path: "metadata.json", text };
    return submit(context, { format: "metadata-files", address, files: [file, ...files] });
  },
};

/** Returns the metadata as text in its form among the files. Throws `SourcifyError`. */
function readMetadata(metadata: unknown): string {
  if (!isRecord(metadata)) throw invalid("metadata", "metadata is to be an object");
  const { compiler, language, settings, sources, ...others } = metadata;
  const version = isRecord(compiler) ? compiler["version"] : undefined;
  if (typeof version !== "string" || !/^v?\d+\.\d+\.\d+[^"\\]{0,80}$/.test(version)) {
    throw invalid("metadata", "metadata.compiler.version is missing");
  }
  if (typeof language !== "string") throw invalid("metadata", "metadata.language is missing");
  if (language !== "Solidity" && language !== "Yul") {
    const text = `The language ${language.slice(0, 100)} is not supported`;
    throw new SourcifyError(400, "unsupported_language", text);
  }
  const target = isRecord(settings) ? settings["compilationTarget"] : undefined;
  if (!isRecord(target) || Object.keys(target).length !== 1) {
    throw invalid("metadata", "metadata.settings.compilationTarget is to name one contract");
  }
  if (!isRecord(sources)) throw invalid("metadata", "metadata.sources is missing");
  return JSON.stringify({ compiler: { version }, language, settings, sources, ...others });
}
