import { usesOf } from "./bench/registry/processes.ts"; import { readFileSync } from "node:fs";
import { readState } from "./cli/state.ts"; import { ownerAccount } from "./cli/account/credentials.ts"; import { pushBlob, pullBlob } from "./bench/registry/client.ts"; import { newBlob } from "./bench/registry/blob.ts";
const id = Number(readFileSync("/tmp/local/start.pid", "utf8"));
const say = (w) => console.log(w, usesOf([id]).map((u) => `${u.name} ${(u.memory / 1e6).toFixed(0)}MB ${u.cpu.toFixed(1)}s`).join(" | "));
const s = await readState("/tmp/local/state"); const { token } = await ownerAccount(s).token({ audience: s.platform.registryAudience });
const t = { origin: "http://127.0.0.1:9300", image: `${s.platform.organization.name}/mem`, token };
say("start");
for (let i = 0; i < 2; i++) { const b = newBlob(2 ** 30); await pushBlob(t, b); say("push"); await pullBlob(t, b); say("pull"); }
await new Promise((r) => setTimeout(r, 5000)); say("later");
