import { text } from "../../params.ts";

const REQUIRED = "Query parameter guid is required";

/** What a submission was answered with. */
export const guid = text({ required: REQUIRED, invalid: REQUIRED }).describe(
  "What the submission was answered with",
);

export const UNKNOWN_GUID = "Unknown UID";
