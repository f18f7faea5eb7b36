import { defineMetadataFilesVerification } from "./metadata-files.ts";

export const verifyViaRepository = defineMetadataFilesVerification("verify_via_repository");
