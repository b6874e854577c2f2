/** The output of `npm start` once the platform responds. */
import { type PlatformRecord, stateDir } from "../state.ts";

/** Returns the addresses of the console and of the platform, and commands to try in another terminal. */
export function greeting(dir: string, { url, organization }: PlatformRecord): string {
  const elsewhere = dir === stateDir({}) ? "" : `  export PLATFORM_STATE=${JSON.stringify(dir)}\n`;
  return `
Console       ${url}/console
Platform API  ${url}
Reference     ${url}/docs
Organization  ${organization.name}  ${organization.uid}

Open the console in a browser on this machine. One button there signs you in as the owner of
${organization.name}, without a password.

To try the command line, run in another terminal:
${elsewhere}  TOKEN=$(npx platformctl auth token)
  curl -H "Authorization: Bearer $TOKEN" "${url}/registry/v2/repos?uidp.descendants_of=${organization.uid}"
  npx platformctl whoami
  npx platformctl history ${organization.name}/python
`;
}
