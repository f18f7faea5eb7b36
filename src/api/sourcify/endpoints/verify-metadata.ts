import { z } from "zod";
import { isRecord } from "../../../core/json/record.ts";
import type { SourceFile } from "../../../store/contracts/verified/verified-contract.ts";
import type { Endpoint } from "../endpoint.ts";
import { invalid, SourcifyError } from "../errors.ts";
import { requireAddress, requireChain } from "../parameters.ts";
import { accepted, submit } from "../submit.ts";
import { creationTransactionHash, requireCreationHash } from "./verify.ts";

const body = z.object({
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
  body,
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
