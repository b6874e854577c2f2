/** `platformctl mcp`: the calls of the API as tools for language models. */
import type { Command } from "commander";
import { type Account, findAccount } from "../account/credentials.ts";
import { withExamples } from "./answer.ts";

const description = `Serve tools for language models on standard input and output, in the Model
Context Protocol. A client such as an editor starts this command.

The tools read the registry, access and events with your login. With
--allow-writes, they can also change and delete what you can change.

To add it to a client, use a configuration such as:
  {"mcpServers": {"platform": {"command": "platformctl", "args": ["mcp"]}}}`;

/** Adds `mcp`. */
export function addMcp(program: Command): void {
  withExamples(
    program
      .command("mcp")
      .summary("Serve tools for language models (Model Context Protocol).")
      .description(description)
      .option("--allow-writes", "Also offer the tools that change or delete data."),
    "platformctl mcp",
    "platformctl mcp --allow-writes",
  ).action(async (options: { allowWrites?: boolean }) => {
    // A client shows the failure of a start, and would not show one of each call.
    const account: Account = await findAccount();
    // The catalog of the tools takes longer to load than the other commands.
    const { serveAccount } = await import("../mcp/account_server.ts");
    await serveAccount(account, options.allowWrites ? "write" : "read");
  });
}
