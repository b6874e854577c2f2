/** A Worker that starts the workflow as soon as a tag moves. */
import { webhookHandler } from "platform-api/client/webhooks";

interface Env {
  /** The secret of the subscription. */
  WEBHOOK_SECRET: string;
  /** The owner and the name of the repository with the workflow, such as `acme/shop`. */
  GITHUB_REPOSITORY: string;
  /** A token that may write the contents of that repository. */
  GITHUB_TOKEN: string;
  /** The URL of GitHub's API. The default is that of github.com. */
  GITHUB_API_URL?: string;
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const start = () => startWorkflow(env);
    const handlers = {
      "api.platform.registry.tag.created.v1": start,
      "api.platform.registry.tag.updated.v1": start,
    };
    return webhookHandler({ secret: env.WEBHOOK_SECRET }, handlers)(request);
  },
};

/** Throws if GitHub refuses. The platform then delivers the event again. */
async function startWorkflow(env: Env): Promise<void> {
  const api = env.GITHUB_API_URL ?? "https://api.github.com";
  const response = await fetch(`${api}/repos/${env.GITHUB_REPOSITORY}/dispatches`, {
    method: "POST",
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${env.GITHUB_TOKEN}`,
      "content-type": "application/json",
      // GitHub refuses requests without one, and a Worker sends none by itself.
      "user-agent": "base-image-action",
    },
    body: JSON.stringify({ event_type: "tag-moved" }),
  });
  if (!response.ok) throw new Error(`GitHub responded with ${response.status}`);
}
