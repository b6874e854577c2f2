/**
 * Starts a program of this folder. In a checkout it is TypeScript, and runs on this Node if that can run it,
 * else on the Node that the project brings along. The package has it as JavaScript. Plain JavaScript for Node 18
 * and newer.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** `program` is a module of this folder. Its exit code, or the signal that ended it, becomes ours. */
export function launch(program) {
  const isCheckout = existsSync(new URL(program, import.meta.url));
  if (!isCheckout || process.features.typescript) {
    // A third of the time it takes to start, from Node 22.1 on.
    module.enableCompileCache?.();
    return import(isCheckout ? program : `../dist/${basename(program, ".ts")}.js`);
  }
  return spawnOwnNode();
}

/** Runs this very command line on the Node that the project brings along. */
function spawnOwnNode() {
  const node = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (!existsSync(node)) {
    const root = fileURLToPath(new URL("..", import.meta.url));
    console.error(
      `error: Node ${process.versions.node} cannot run TypeScript, and the project's own Node is ` +
        `not there. Run \`npm ci\` in ${root}, or use Node 22.18 or newer.`,
    );
    process.exit(1);
  }
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`error: ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    for (const one of signals) process.removeAllListeners(one);
    process.kill(process.pid, signal);
    // A signal that did not end us, such as one that is blocked: say what the shell would say.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
}
