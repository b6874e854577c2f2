import { readState } from "./cli/state.ts"; import { ownerAccount } from "./cli/account/credentials.ts"; import { pushBlob, pullBlob } from "./bench/registry/client.ts"; import { newBlob } from "./bench/registry/blob.ts";
const s = await readState("/tmp/local/state"); const { token } = await ownerAccount(s).token({ audience: s.platform.registryAudience });
const t = { origin: "http://127.0.0.1:9300", image: `${s.platform.organization.name}/pp`, token };
const b = newBlob(2 ** 28); await pushBlob(t, b);
for (let i = 0; i < 3; i++) { const p = performance.now(); const r = await pullBlob(t, b, true); console.log(r.digest === b.digest, r.headers["content-length"], ((performance.now() - p) / 1000).toFixed(2)); }
