/** The help of the programs that npm scripts run. */

/** Prints the usage and exits with 0 if `--help` is on the command line. */
export function printHelpIfAsked(usage: string): void {
  const args = process.argv.slice(2);
  if (!args.includes("--help") && !args.includes("-h")) return;
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
