/** The entry point of docker-credential-platform. */
import { runHelper } from "../account/credential_helper.ts";

await runHelper(process.argv[2] ?? "", process);
