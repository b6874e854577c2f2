/** `platformctl organization move`: moves an organization to another database of the platform. */
import type { Command } from "commander";
import { addJsonOption, type JsonOption, printAnswer, withExamples } from "./answer.ts";
import { addLocationOptions, type LocationOptions, locationOf, lockDatabase } from "./database.ts";

type Options = JsonOption & LocationOptions & { toDatabase: string; undo?: boolean };

const move = "platformctl organization move acme.example --to-database DB_2 --remote";

/** Adds `organization move`. */
export function addOrganization(program: Command): void {
  const organization = withExamples(
    program
      .command("organization")
      .description("Move an organization to another database of a platform that has several."),
    move,
  );
  addJsonOption(
    addLocationOptions(
      organization
        .command("move")
        .summary("Move an organization to another database.")
        .description(
          "Move an organization to another database. It can be used meanwhile. At the end,\n" +
            "its writes are refused for a moment, at most 10 seconds, and clients try again.\n" +
            "A move that was interrupted continues when you run the command again.",
        )
        .argument("<organization>", "Name or uid of the organization.")
        .requiredOption(
          "--to-database <binding>",
          "Binding of the database in wrangler.toml, such as DB_2.",
        )
        .option("--undo", "Give up a move that was interrupted, and delete its copy."),
    ),
    move,
    "platformctl organization move acme.example --to-database DB_2 --remote --undo",
    "platformctl organization move acme.example --to-database DB_2 --local     # while `npm start` is stopped",
  ).action(moveOne);
}

async function moveOne(asked: string, options: Options): Promise<void> {
  const location = locationOf(options);
  const release = await lockDatabase(options, location);
  try {
    // The package does not contain this module, because it needs wrangler.
    const { moveByName } = await import("../move/command.ts");
    const { answer, text } = await moveByName(asked, { ...options, location });
    printAnswer(options, answer, text);
  } finally {
    await release();
  }
}
