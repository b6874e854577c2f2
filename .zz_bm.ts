import { openBare } from "./bench/registry/local_servers.ts"; import { usesOf } from "./bench/registry/processes.ts"; import { newBlob } from "./bench/registry/blob.ts"; import { rmSync, mkdirSync } from "node:fs";
rmSync("/tmp/local/bench", { recursive: true, force: true }); mkdirSync("/tmp/local/bench", { recursive: true });
const s = await openBare("/tmp/local/bench"); const say = (w) => console.log(w, usesOf(s.programs).map((u) => `${u.name} ${(u.memory / 1e6).toFixed(0)}MB ${u.cpu.toFixed(1)}s`).join(" | "));
await s.carrier.push(newBlob(1000)); say("start");
for (let i = 0; i < 2; i++) { const b = newBlob(2 ** 30); await s.carrier.push(b); say("push"); await s.carrier.pull(b); say("pull"); }
await s.stop(); process.exit(0);
