import { z } from "zod";
import { defineAction } from "../../action.ts";
import { failed } from "../../envelope.ts";
import { publishedResult, sentText } from "./fields.ts";
import { publish, readRequired } from "./publish.ts";
import {
  commonFields,
  flattenedSettings,
  given,
  parseOptimization,
  SPELLINGS,
} from "./submission.ts";

export const verify = defineAction({
  name: "verify",
  summary: "Verifies a contract from one Solidity file, and answers when it is done",
  envelope: "explorer",
  isSubmission: true,
  params: z.object({
    addressHash: sentText,
    name: sentText,
    compilerVersion: sentText,
    optimization: sentText,
    contractSourceCode: sentText,
    optimizationRuns: sentText,
    evmVersion: sentText,
    constructorArguments: sentText,
    autodetectConstructorArguments: sentText,
    library1Name: sentText,
    library1Address: sentText,
    licenseType: sentText,
  }),
  result: publishedResult,
  example: {
    addressHash: "0xa15bb66138824a1c7167f5e85b957d04dd34e468",
    name: "Badge",
    compilerVersion: "v0.8.37+commit.f401782d",
    optimization: "false",
    contractSourceCode: "contract Badge {}",
  },
  async handle(context) {
    const { sent } = context;
    const address = readRequired(sent, {
      name: SPELLINGS.name,
      compilerVersion: SPELLINGS.compilerVersion,
      optimization: SPELLINGS.optimization,
      contractSourceCode: SPELLINGS.source,
    });
    if (typeof address === "object") return address;
    const optimized = parseOptimization(given(sent, SPELLINGS.optimization) ?? "");
    if (optimized === undefined) {
      const text = "optimization has invalid format";
      return failed(text, { result: text });
    }
    return publish(context, {
      format: "flattened",
      address,
      name: given(sent, SPELLINGS.name) ?? "",
      compilerVersion: given(sent, SPELLINGS.compilerVersion) ?? "",
      source: given(sent, SPELLINGS.source) ?? "",
      ...flattenedSettings(sent, optimized),
      ...commonFields(sent),
    });
  },
});
