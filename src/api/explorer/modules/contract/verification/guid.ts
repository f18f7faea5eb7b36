import { text } from "../../../params.ts";

const REQUIRED = "Query parameter guid is required";

/** The identifier that a submission returned. */
export const guid = text({ required: REQUIRED, invalid: REQUIRED }).describe(
  "Identifier that the submission returned",
);

export const UNKNOWN_GUID = "Unknown UID";
