import { z } from "zod";
import { isHash } from "../../../core/evm/hex.ts";
import { isRecord } from "../../../core/json/record.ts";
import type { Endpoint } from "../endpoint.ts";
import { invalid, SourcifyError } from "../errors.ts";
import { requireAddress, requireChain } from "../parameters.ts";
import { accepted, submit } from "../submit.ts";

const FORMATS: Readonly<Record<string, "standard-json" | "vyper-json">> = {
  Solidity: "standard-json",
  Yul: "standard-json",
  Vyper: "vyper-json",
};

/** Field of both submissions. */
export const creationTransactionHash = z
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
export function requireCreationHash(hash: unknown): void {
  if (hash !== undefined && !isHash(hash)) {
    throw invalid(
      "creationTransactionHash",
      "creationTransactionHash is to be 0x and 64 hex digits",
    );
  }
}
