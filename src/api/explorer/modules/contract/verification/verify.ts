import { z } from "zod";
import { defineAction } from "../../../action.ts";
import { failed } from "../../../envelope.ts";
import { sent, sentFields, verifiedResult } from "../fields.ts";
import { BUOY_COMPILER, BUOY_SOURCE, BUOYS } from "./sample-buoy.ts";
import {
  commonFields,
  flattenedSettings,
  given,
  oneFileOf,
  parseOptimization,
  SPELLINGS,
} from "./submission.ts";
import { readRequired, submitAndWait } from "./submit.ts";

const REQUIRED = {
  name: SPELLINGS.name,
  compilerVersion: SPELLINGS.compilerVersion,
  optimization: SPELLINGS.optimization,
  contractSourceCode: SPELLINGS.source,
};

export const verify = defineAction({
  name: "verify",
  summary: "Verifies a contract from one Solidity file, and answers when it is done",
  isSubmission: true,
  params: z.object({
    addressHash: sentFields.address,
    name: sentFields.name,
    compilerVersion: sentFields.compilerVersion,
    optimization: sentFields.optimization,
    contractSourceCode: sentFields.source,
    optimizationRuns: sentFields.runs,
    evmVersion: sentFields.evmVersion,
    constructorArguments: sentFields.constructorArguments,
    autodetectConstructorArguments: sent(
      "`true`: take the constructor arguments from the chain, whatever is given",
    ),
    library1Name: sentFields.libraryName,
    library1Address: sentFields.libraryAddress,
    licenseType: sentFields.license,
  }),
  required: ["addressHash", ...Object.keys(REQUIRED)],
  result: verifiedResult,
  example: {
    addressHash: BUOYS.verify,
    name: "Buoy",
    compilerVersion: BUOY_COMPILER,
    optimization: "false",
    contractSourceCode: BUOY_SOURCE,
  },
  async handle(context) {
    const { sent } = context;
    const address = readRequired(sent, REQUIRED);
    if (typeof address === "object") return address;
    const optimized = parseOptimization(given(sent, SPELLINGS.optimization) ?? "");
    if (optimized === undefined) {
      const text = "optimization has invalid format";
      return failed("invalid-parameter", text, { result: text, parameter: "optimization" });
    }
    return submitAndWait(context, {
      format: "flattened",
      address,
      ...oneFileOf(sent),
      ...flattenedSettings(sent, optimized),
      ...commonFields(sent),
    });
  },
});
