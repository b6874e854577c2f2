/** The clouds that sign tokens for their workloads. */
import { exact, type WorkloadSystem } from "./fields.ts";
import { awsJob, azureJob, googleJob } from "./jobs.ts";

const aws: WorkloadSystem = {
  id: "aws-token",
  title: "AWS role with a token",
  about: "A workload at AWS whose role may request signed tokens",
  fields: [
    {
      name: "issuer",
      label: "Issuer of the account",
      hint: "`aws iam get-outbound-web-identity-federation-info` shows it.",
      example: "https://0189a6a5-0000-4000-8000-000000000005.tokens.sts.global.api.aws",
    },
    {
      name: "role",
      label: "ARN of the role",
      example: "arn:aws:iam::123456789012:role/build-app",
    },
  ],
  match: ({ issuer = "", role = "" }) => ({ issuer, subject: exact(role), claims: {} }),
  token: "`aws sts get-web-identity-token --audience … --signing-algorithm ES384`",
  notes: [
    "Run `aws iam enable-outbound-web-identity-federation` once in the account, and allow the role `sts:GetWebIdentityToken` for the audience `registry.example.com`.",
    "The command needs a regional endpoint of STS. The file is for CodeBuild; the command is the same on an instance.",
  ],
  job: { path: "buildspec.yml", language: "yaml", text: awsJob },
  source:
    "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_outbound_getting_started.html",
};

const google: WorkloadSystem = {
  id: "google",
  title: "Google Cloud service account",
  about: "A workload at Google Cloud with a service account",
  fields: [
    {
      name: "account",
      label: "Unique id of the service account",
      hint: "A number, and not the email address. `gcloud iam service-accounts describe EMAIL --format='value(uniqueId)'` shows it.",
      example: "117000000000000000001",
    },
  ],
  match: ({ account = "" }) => ({
    issuer: "https://accounts.google.com",
    subject: exact(account.trim()),
    claims: {},
  }),
  token: "the metadata server of the instance, with the audience",
  notes: [
    "The script runs on Compute Engine, in GKE and in Cloud Run, as the service account there.",
  ],
  job: { path: "image.sh", language: "shell", text: googleJob },
  source: "https://cloud.google.com/docs/authentication/get-id-token",
};

const azure: WorkloadSystem = {
  id: "azure",
  title: "Azure managed identity",
  about: "A workload at Azure with a managed identity",
  fields: [
    {
      name: "tenant",
      label: "Id of the tenant",
      example: "0189a6a5-0000-4000-8000-000000000006",
    },
    {
      name: "principal",
      label: "Object id of the managed identity",
      hint: "It is also called principal id.",
      example: "0189a6a5-0000-4000-8000-000000000007",
    },
    {
      name: "application",
      label: "Application ID URI",
      hint: "Of an app registration that stands for the registry.",
      example: "api://platform-registry",
    },
  ],
  match: ({ tenant = "", principal = "", application = "" }) => ({
    issuer: `https://sts.windows.net/${tenant}/`,
    subject: exact(principal),
    audience: application,
    claims: {},
  }),
  token: "the metadata server of the instance, with the application as the `resource`",
  notes: [
    "Create an app registration for the registry, and set its Application ID URI. The token has that URI as its audience, so the identity names it.",
    "An app registration for tokens of version 2 has the issuer `https://login.microsoftonline.com/{tenant}/v2.0`, and its client id as the audience.",
  ],
  job: { path: "image.sh", language: "shell", text: azureJob },
  source:
    "https://learn.microsoft.com/en-us/entra/identity/managed-identities-azure-resources/how-to-use-vm-token",
};

export const clouds = [aws, google, azure];
