/** How a workload gets a token of the platform, with the values of one identity. */
import { acceptsBearer } from "./conditions.ts";
import type { Relationship } from "./kinds.ts";

/** The addresses that a workload needs. */
export interface Platform {
  api: string;
  /** The `iss` claim of the platform's tokens, which is also the address of the exchange. */
  issuerName: string;
  /** The audience of the API. */
  audience: string;
  vendor: string;
}

/** An example with a title and a sentence about it. */
export interface Snippet {
  title: string;
  about: string;
  text: string;
}

interface Named {
  uid: string;
  relationship: Relationship;
  /** The audience that the token of the workload has. */
  audience: string;
  platform: Platform;
}

const exchangeUrl = ({ uid, platform: { issuerName, audience } }: Named) =>
  `${issuerName}/sts/exchange?aud=${encodeURIComponent(audience)}&identity=${uid}`;

/** The exchange as a command on two lines. `token` is a shell word with the token of the workload. */
const exchange = (named: Named, token: string, indent = "") =>
  `curl -sf -X POST -H "Authorization: Bearer ${token}" \\
${indent}  "${exchangeUrl(named)}" | jq -r .token`;

const call = ({ platform: { api } }: Named, token: string) =>
  `curl -sf -H "Authorization: Bearer ${token}" "${api}/registry/v2/repos"`;

/** Characters that change the direction of the text after them. */
const turns = /\p{Bidi_Control}/gu;

/** A text as a value in YAML, whose quoted texts are written as in JSON. The person must see the text that they copy. */
const yamlText = (text: string): string =>
  JSON.stringify(text).replace(
    turns,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const github = (named: Named): Snippet => ({
  title: "GitHub Actions",
  about:
    "Add the permission and this step to the job. Later steps have the token in PLATFORM_TOKEN.",
  text: `permissions:
  id-token: write
steps:
  - name: Get a token of the platform
    run: |
      ID_TOKEN=$(curl -sf -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
        "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(named.audience)}" | jq -r .value)
      TOKEN=$(${exchange(named, "$ID_TOKEN", "      ")})
      echo "::add-mask::$TOKEN"
      echo "PLATFORM_TOKEN=$TOKEN" >> "$GITHUB_ENV"
`,
});

const gitlab = (named: Named): Snippet => ({
  title: "GitLab",
  about: "Add these lines to the job. GitLab puts the token of the job into CI_TOKEN.",
  text: `id_tokens:
  CI_TOKEN:
    aud: ${yamlText(named.audience)}
script:
  - |
    TOKEN=$(${exchange(named, "$CI_TOKEN", "    ")})
    ${call(named, "$TOKEN")}
`,
});

const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;

function kubernetes(named: Named, subject: string): Snippet {
  const [, namespace = "", account = ""] = serviceAccount.exec(subject) ?? [];
  return {
    title: "Kubernetes",
    about: `The cluster renews the file before the token expires. Add this to a pod in the namespace ${namespace}.`,
    text: `spec:
  serviceAccountName: ${yamlText(account)}
  containers:
    - volumeMounts:
        - name: platform-token
          mountPath: /var/run/secrets/platform
          readOnly: true
  volumes:
    - name: platform-token
      projected:
        sources:
          - serviceAccountToken:
              path: token
              audience: ${yamlText(named.audience)}
              expirationSeconds: 3600

# In the container:
# TOKEN=$(${exchange(named, "$(cat /var/run/secrets/platform/token)", "#")})
`,
  };
}

const plain = (named: Named): Snippet => ({
  title: "curl",
  about: `The file token contains the token of the workload. Its audience is ${named.audience}.`,
  text: `TOKEN=$(${exchange(named, "$(cat token)")})
${call(named, "$TOKEN")}
`,
});

const commandLine = ({ uid, platform: { api, issuerName } }: Named): Snippet => ({
  title: "platformctl",
  about: "The command exchanges the token, and later commands use the result.",
  text: `export PLATFORM_URL=${api}
platformctl auth login --issuer ${issuerName} --token-file token --identity ${uid}
platformctl whoami
`,
});

const direct = (named: Named): Snippet => ({
  title: "Without an exchange",
  about: `The API also accepts the token itself if its audience is ${named.platform.audience}.`,
  text: `${call(named, "$(cat token)")}\n`,
});

/** The signature covers the headers with the audience and the identity, so no one can use the request elsewhere. */
const aws = (named: Named): Snippet => ({
  title: "Python at AWS",
  about: "The program signs a request, and does not send it. The platform asks AWS who signed it.",
  text: `import base64, urllib.request
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.session import Session

target = "/?Action=GetCallerIdentity&Version=2011-06-15"
request = AWSRequest("POST", "https://sts.amazonaws.com" + target, headers={
    "Host": "sts.amazonaws.com",
    "${named.platform.vendor}-Audience": "${named.platform.issuerName}",
    "${named.platform.vendor}-Identity": "${named.uid}",
})
SigV4Auth(Session().get_credentials(), "sts", "us-east-1").add_auth(request)
lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in request.headers.items())]
signed = base64.urlsafe_b64encode(("\\r\\n".join(lines) + "\\r\\n\\r\\n").encode()).decode()
url = "${exchangeUrl(named)}"
exchange = urllib.request.Request(url, method="POST", headers={"Authorization": f"Bearer {signed}"})
print(urllib.request.urlopen(exchange).read().decode())
`,
});

/** The examples for an identity. None if no workload can assume it. */
export function snippetsFor(named: Named): Snippet[] {
  const { claimMatch, staticKeys, awsIdentity } = named.relationship;
  if (awsIdentity) return [aws(named)];
  if (!claimMatch && !staticKeys) return [];
  const issuer = (claimMatch?.issuer ?? claimMatch?.issuerPattern ?? "").replaceAll("\\", "");
  const subject = claimMatch?.subject ?? staticKeys?.subject ?? "";
  return [
    ...(issuer.includes("token.actions.githubusercontent.com") ? [github(named)] : []),
    ...(issuer.includes("gitlab") ? [gitlab(named)] : []),
    ...(serviceAccount.test(subject) ? [kubernetes(named, subject)] : []),
    ...[plain(named), commandLine(named)],
    ...(acceptsBearer(named.relationship) ? [direct(named)] : []),
  ];
}
