import { defineMetadataFilesVerification } from "./metadata-files.ts";

export const verifyViaSourcify = defineMetadataFilesVerification("verify_via_sourcify");
