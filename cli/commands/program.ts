/** The commands of platformctl, as `--help` shows them. */
import { Command } from "commander";
import { prepareOutput } from "../resources/output.ts";
import { here, type Output } from "../surroundings.ts";
import { addAccess } from "./access.ts";
import { addAffected } from "./affected.ts";
import { addApply } from "./apply.ts";
import { addAuth } from "./auth.ts";
import { addBootstrap } from "./bootstrap.ts";
import { addConfig } from "./config.ts";
import { addContains } from "./contains.ts";
import { addCopy } from "./copy.ts";
import { addEvents } from "./events.ts";
import { addFsck } from "./fsck.ts";
import { addGrpcBridge } from "./grpc_bridge.ts";
import { addHistory } from "./history.ts";
import { addImport } from "./import.ts";
import { addInspect } from "./inspect.ts";
import { addKeys } from "./keys.ts";
import { addLock } from "./lock.ts";
import { addLoginEverywhere } from "./login.ts";
import { addMcp } from "./mcp.ts";
import { addMembers } from "./members.ts";
import { addOrganization } from "./organization.ts";
import { addPin } from "./pin.ts";
import { addProxy } from "./proxy.ts";
import { addPull } from "./pull.ts";
import { addPurge } from "./purge.ts";
import { addPush } from "./push.ts";
import { addQuota } from "./quota.ts";
import { addRollback } from "./rollback.ts";
import { addRules } from "./rules.ts";
import { addSubscriptions } from "./subscriptions.ts";
import { addTag } from "./tag.ts";
import { addLimitStorage, addUsage } from "./usage.ts";
import { addAlias } from "./verbs/aliases.ts";
import { addCompletion, addVerbs } from "./verbs/verbs.ts";
import { addVerify } from "./verify.ts";
import { addWhoami } from "./whoami.ts";

/** The commands by task, in the order of the help. */
const groups: [string, ((program: Command) => void)[]][] = [
  ["Resources:", [addVerbs, addApply]],
  ["Images:", [addPush, addPull, addInspect, addTag, addCopy, addProxy, addVerify, addUsage]],
  [
    "Tag history:",
    [(program) => addAlias(program, "moves"), addHistory, addPin, addLock, addRollback, addRules],
  ],
  ["Vulnerabilities:", [addAffected, addContains]],
  ["Events:", [addEvents, addSubscriptions]],
  [
    "Authentication and access:",
    [addLoginEverywhere, addAuth, addWhoami, addAccess, addMembers, addConfig],
  ],
  ["Language models:", [addMcp]],
  ["Imports:", [addImport, addPurge]],
  [
    "Running a platform:",
    [addBootstrap, addFsck, addLimitStorage, addQuota, addOrganization, addKeys, addGrpcBridge],
  ],
  ["Other commands:", [addCompletion]],
];

const examples = `
Getting started:
  $ npm start                                      # start a platform on this machine, with sample data
  $ PLATFORM_URL=https://api.example.com platformctl auth login --org acme.example    # or use another one
  $ platformctl whoami
  $ platformctl list repos
  $ platformctl history public/nginx --limit 10
  $ docker pull $(platformctl pin acme.example/python:latest@30d)

To see the options of a command and examples, run: platformctl COMMAND --help`;

const environment = `
Environment:
  PLATFORM_URL     Address of the platform (default: that of the current context,
                   otherwise the platform that \`npm start\` runs in this checkout,
                   otherwise http://localhost:8787).
  PLATFORM_GROUP   Group to use for a command without --group (default: that of the
                   current context).
  PLATFORM_STATE   Folder of the local platform (default: .platform in this checkout).
  XDG_CONFIG_HOME  Folder for logins and contexts, which are stored in
                   platform/credentials.json and platform/contexts.json below it
                   (default: ~/.config).
  XDG_STATE_HOME   Folder for the state of uploads that have not ended, in
                   platform/uploads below it, and for what was last seen of a
                   platform, in platform/bookmarks (default: ~/.local/state).
  NO_COLOR         Set it to any value to print without colors. Output that does not
                   go to a terminal never has colors.

Exit codes:
    0  The command succeeded.
    1  The platform returned an error, or the command failed.
    2  The command line or a file name is wrong.
    3  There was no response, or the response was not from a platform.
    4  The input is bad: an import stopped at a bad line or skipped bad lines.
  130  You stopped the command with Ctrl-C, or answered a question with Ctrl-D.`;

const help: [nameAndArgs: string, description: string] = [
  "help [command]",
  "Show the options of a command and examples.",
];

/** Commander uses its default where there is no terminal. */
const widthOf = ({ isTTY, columns }: Output) => (isTTY && columns) || 80;

/** Returns all commands, ready to parse. `isJson` says whether the output and the errors are JSON. */
export function newProgram(isJson: boolean): Command {
  const { stdout, stderr } = here();
  const command = new Command("platformctl")
    .description("The command line of Platform API. Manage images, access and data.")
    .option("--version", "Print the version, and the commit and the date of its code.")
    .option("--no-color", "Print without colors, as with NO_COLOR=1.")
    .option("--context <name>", "Use the platform and the group of this context (see config).")
    .helpOption("-h, --help", "Show help for this command.")
    .helpCommand(...help)
    .exitOverride()
    .hook("preAction", (_, command) => prepareOutput(command))
    .showHelpAfterError(isJson ? false : "(For help, add --help.)")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      outputError: (text, write) => isJson || write(text),
    })
    .addHelpText("after", `${examples}\n${environment}`);
  for (const [heading, adders] of groups) {
    command.commandsGroup(heading);
    for (const add of adders) add(command);
  }
  return command.commandsGroup("Other commands:").helpCommand(...help);
}
