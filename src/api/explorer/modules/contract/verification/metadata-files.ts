import { z } from "zod";
import type { SourceFile } from "../../../../../store/contracts/verified/verified-contract.ts";
import { type InputValue, lookUp } from "../../../../http/input/form.ts";
import { defineAction } from "../../../action.ts";
import { type Failure, failed } from "../../../envelope.ts";
import { sentFields, verifiedResult } from "../fields.ts";
import { BUOY_METADATA, BUOY_SOURCE, BUOYS } from "./sample-buoy.ts";
import { commonFields, isFile } from "./submission.ts";
import { ALREADY_VERIFIED, isAlreadyVerified, readRequired, submitAndWait } from "./submit.ts";

const LEAST_FILES = 2;
const FILES = { parameter: "files" };
const USED = /\.(?:json|sol)$/i;

export const verifyViaSourcify = defineMetadataFilesVerification("verify_via_sourcify");

export const verifyViaRepository = defineMetadataFilesVerification("verify_via_repository");

/** Declares the verification by sources and the compiler's metadata, which has two names in the reference. */
function defineMetadataFilesVerification(name: "verify_via_sourcify" | "verify_via_repository") {
  return defineAction({
    name,
    summary: "Verifies a contract from its sources and the compiler's metadata file",
    isSubmission: true,
    params: z.object({
      addressHash: sentFields.address,
      files: z.unknown().meta({
        description: "The compiler's metadata file and the sources, texts by file name",
        type: "object",
        additionalProperties: { type: "string" },
      }),
      licenseType: sentFields.license,
    }),
    required: ["addressHash", "files"],
    files: { name: "files", example: { "metadata.json": BUOY_METADATA, "Buoy.sol": BUOY_SOURCE } },
    result: verifiedResult,
    example: { addressHash: BUOYS[name] },
    async handle(context) {
      const { sent, verifier } = context;
      const address = readRequired(sent, {});
      if (typeof address === "object") return address;
      if (await isAlreadyVerified(verifier, address))
        return failed("already-verified", ALREADY_VERIFIED);
      const files = readFiles(lookUp(sent, "files"));
      if ("kind" in files) return files;
      const request = { format: "metadata-files" as const, address, files, ...commonFields(sent) };
      return submitAndWait(context, request, () => "Unsuccessful Sourcify verification");
    },
  });
}

function readFiles(value: InputValue | undefined): SourceFile[] | Failure {
  const files = value === undefined ? [] : filesOf(value);
  if (!files) return failed("invalid-parameter", "Invalid args format", FILES);
  if (files.length < LEAST_FILES)
    return failed("missing-parameter", "You should attach at least 2 files", FILES);
  const used = files.filter(({ path }) => USED.test(path));
  const has = (ending: string) => used.some(({ path }) => path.toLowerCase().endsWith(ending));
  return has(".json") && has(".sol")
    ? used
    : failed(
        "missing-parameter",
        "You should attach at least one *.json and one *.sol files",
        FILES,
      );
}

/** Returns the files of a list, of a map by number, or of an object of texts by name; undefined for anything else. */
function filesOf(value: InputValue): SourceFile[] | undefined {
  if (typeof value === "string" || isFile(value)) return undefined;
  const entries = Object.entries(value).flatMap(([key, entry]) => {
    if (isFile(entry)) return [{ path: entry.fileName, text: entry.content }];
    return typeof entry === "string" && !Array.isArray(value) ? [{ path: key, text: entry }] : [];
  });
  return entries;
}
