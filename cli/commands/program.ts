/** The commands of platformctl, as `--help` shows them. */
import { Command } from "commander";
import { packageJson } from "../project.ts";
import { addAuth } from "./auth.ts";
import { addBootstrap } from "./bootstrap.ts";
import { addFsck } from "./fsck.ts";
import { addGrpcBridge } from "./grpc_bridge.ts";
import { addHistory } from "./history.ts";
import { addImport } from "./import.ts";
import { addKeys } from "./keys.ts";
import { addPin } from "./pin.ts";
import { addPurge } from "./purge.ts";
import { addCompletion, addVerbs } from "./verbs/verbs.ts";
import { addWhoami } from "./whoami.ts";

/** By what people want to do; the order is that of the help. */
const groups: [string, ((program: Command) => void)[]][] = [
  ["Resources:", [addVerbs]],
  ["Tags over time:", [addHistory, addPin]],
  ["Who you are:", [addAuth, addWhoami]],
  ["Data from files:", [addImport, addPurge]],
  ["Running a platform:", [addBootstrap, addFsck, addKeys, addGrpcBridge]],
  ["This program:", [addCompletion]],
];

// What the registry does not serve yet is not offered: once images can be pulled from it,
// test/cli/offers.test.ts fails until `docker pull $(platformctl pin …)` stands here and in pin.ts.
const examples = `
Getting started:
  $ npm start                                      # a platform on this machine, with sample data
  $ PLATFORM_URL=https://api.example.com platformctl auth login --org example.com    # or another
  $ platformctl whoami
  $ platformctl list repos
  $ platformctl history public/nginx --limit 10
  $ platformctl pin example.com/python:latest@30d

platformctl COMMAND --help shows its options, with examples.`;

const environment = `
Environment:
  PLATFORM_URL     the platform to talk to (default: the one that \`npm start\` of this
                   checkout runs, else http://localhost:8787)
  PLATFORM_GROUP   the group to look in and to create in, where no --group is given
  PLATFORM_STATE   folder of that local platform (default: .platform of this checkout)
  XDG_CONFIG_HOME  where logins are kept, in platform/credentials.json (default: ~/.config)
  NO_COLOR         set to anything: no colours, which otherwise are shown on terminals only

Exit codes:
    0  done
    1  refused or failed
    2  the command line or a file name is wrong
    3  nobody answers, or not as a platform does
    4  bad input: an import stopped at a bad line, or left bad lines out
  130  you stopped it: Ctrl-C, or Ctrl-D at a question`;

/** The commands, ready to parse. `isJson`: the command line asks for JSON, also for errors. */
export function newProgram(isJson: boolean): Command {
  const command = new Command("platformctl")
    .description("The command line of Platform API: images and their history, access, and data.")
    .version(packageJson().version, "--version", "print the version")
    .option("--no-color", "plain text, as NO_COLOR=1")
    .exitOverride()
    .showHelpAfterError(isJson ? false : "(more: --help)")
    .configureOutput({ outputError: (text, write) => isJson || write(text) })
    .addHelpText("after", `${examples}\n${environment}`);
  for (const [heading, adders] of groups) {
    command.commandsGroup(heading);
    for (const add of adders) add(command);
  }
  return command
    .commandsGroup("This program:")
    .helpCommand("help [command]", "show the options of a command, with examples");
}
