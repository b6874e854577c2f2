/** What `npm start` says once the platform answers. */
import { type PlatformRecord, stateDir } from "../state.ts";

/** Where the platform is, and commands to begin with in another terminal. */
export function greeting(dir: string, { url, organization }: PlatformRecord): string {
  const elsewhere = dir === stateDir({}) ? "" : `  export PLATFORM_STATE=${JSON.stringify(dir)}\n`;
  return `
Platform API  ${url}
Reference     ${url}/docs
Organization  ${organization.name}  ${organization.uid}

Next, in another terminal:
${elsewhere}  TOKEN=$(npx platformctl auth token)
  curl -H "Authorization: Bearer $TOKEN" "${url}/registry/v2/repos?uidp.descendants_of=${organization.uid}"
  npx platformctl whoami
  npx platformctl history ${organization.name}/python
`;
}
