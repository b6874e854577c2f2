/** Lists repositories over native gRPC: `npm run -s demo-grpc -- URL TOKEN GROUP` prints their names. */
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { codeOf } from "../../client/errors.ts";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { failureText, refusedFailure, toFailure, usageFailure } from "../failure.ts";
import { printHelpIfAsked } from "../program_help.ts";

const usageText = "Usage: npm run -s demo-grpc -- URL TOKEN [GROUP]";

/** Returns the names of three repositories. Throws a Failure. */
async function names(args: string[]): Promise<string[]> {
  const [baseUrl = "", token = "", descendantsOf = ""] = args;
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl) || token === "")
    throw usageFailure(usageText);
  const repos = createClient(ReposService, createGrpcTransport({ baseUrl }));
  const headers = { authorization: `Bearer ${token}` };
  const request = { uidp: { descendantsOf }, orderBy: "name", pageSize: 3 };
  try {
    return (await repos.listRepos(request, { headers })).repos.map(({ name }) => name);
  } catch (error) {
    const isAnswer = error instanceof ConnectError && !(error.cause instanceof Error);
    if (isAnswer) throw refusedFailure(codeOf(error.code) ?? "UNKNOWN", error.rawMessage);
    throw toFailure(error, baseUrl);
  }
}

printHelpIfAsked(`${usageText}

List three repositories over native gRPC.

  URL    Address of the platform, or of a gRPC bridge.
  TOKEN  Access token, which \`platformctl auth token\` prints.
  GROUP  Uid of a group. List only repositories below it.`);
try {
  for (const name of await names(process.argv.slice(2))) console.log(name);
} catch (error) {
  const failure = toFailure(error);
  process.stderr.write(failureText(failure));
  process.exitCode = failure.exitCode;
}
