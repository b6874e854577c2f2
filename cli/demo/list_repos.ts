/** Lists repos over native gRPC: `npm run -s demo-grpc -- URL TOKEN GROUP` prints their names. */
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { codeOf } from "../../client/errors.ts";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { failureOf, failureText, refused, usage } from "../failure.ts";
import { offerHelp } from "../program_help.ts";

const usageText = "Usage: npm run -s demo-grpc -- URL TOKEN [GROUP]";

/** Three repos by name. Throws a Failure. */
async function names(args: string[]): Promise<string[]> {
  const [baseUrl = "", token = "", descendantsOf = ""] = args;
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl) || token === "") throw usage(usageText);
  const repos = createClient(ReposService, createGrpcTransport({ baseUrl }));
  const headers = { authorization: `Bearer ${token}` };
  const request = { uidp: { descendantsOf }, orderBy: "name", pageSize: 3 };
  try {
    return (await repos.listRepos(request, { headers })).repos.map(({ name }) => name);
  } catch (error) {
    const isAnswer = error instanceof ConnectError && !(error.cause instanceof Error);
    if (isAnswer) throw refused(codeOf(error.code) ?? "UNKNOWN", error.rawMessage);
    throw failureOf(error, baseUrl);
  }
}

offerHelp(usageText);
try {
  for (const name of await names(process.argv.slice(2))) console.log(name);
} catch (error) {
  const failure = failureOf(error);
  process.stderr.write(failureText(failure));
  process.exitCode = failure.exitCode;
}
