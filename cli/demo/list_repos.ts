/** Lists repos over native gRPC: `npm run -s demo-grpc -- URL TOKEN GROUP` prints their names. */
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";

const [baseUrl = "http://localhost:8787", token = "", descendantsOf = ""] = process.argv.slice(2);
const repos = createClient(ReposService, createGrpcTransport({ baseUrl }));
const headers = { authorization: `Bearer ${token}` };
const page = await repos.listRepos(
  { uidp: { descendantsOf }, orderBy: "name", pageSize: 3 },
  { headers },
);
for (const repo of page.repos) console.log(repo.name);
