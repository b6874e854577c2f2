/**
 * The jobs of the guide, from the checkout to a pull. Each logs in after the build, because tokens are short-lived, and
 * keeps the token out of arguments and logs.
 */

const registry = "registry.example.com";
const image = `${registry}/acme.example/app`;
/** The identity whose uid is the user name, where the token alone does not find it. */
const identity = "0123456789abcdef0123456789abcdef01234567/0123456789abcdef";

export const githubJob = `name: Image
on:
  push:
    branches: [main]
permissions:
  contents: read
  id-token: write
env:
  REGISTRY: ${registry}
  IMAGE: ${image}
jobs:
  image:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v6
      - run: docker build -t "$IMAGE:$GITHUB_SHA" .
      - name: Log in
        shell: bash
        run: |
          curl -sSf -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
            "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$REGISTRY" |
            jq -r .value | docker login -u oidc --password-stdin "$REGISTRY"
      - run: docker push "$IMAGE:$GITHUB_SHA"
      - run: docker pull "$IMAGE:$GITHUB_SHA"
`;

export const gitlabJob = `image:
  image: docker:29
  services:
    - docker:29-dind
  id_tokens:
    REGISTRY_TOKEN:
      aud: ${registry}
  variables:
    REGISTRY: ${registry}
    IMAGE: ${image}
    PLATFORM_IDENTITY: ${identity}
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
  script:
    - docker build -t "$IMAGE:$CI_COMMIT_SHA" .
    - printf %s "$REGISTRY_TOKEN" | docker login -u "$PLATFORM_IDENTITY" --password-stdin "$REGISTRY"
    - docker push "$IMAGE:$CI_COMMIT_SHA"
    - docker pull "$IMAGE:$CI_COMMIT_SHA"
`;

export const buildkiteJob = `steps:
  - label: Image
    key: image
    branches: main
    env:
      REGISTRY: ${registry}
      IMAGE: ${image}
      PLATFORM_IDENTITY: ${identity}
    command: |
      docker build -t "$$IMAGE:$$BUILDKITE_COMMIT" .
      buildkite-agent oidc request-token --audience "$$REGISTRY" |
        docker login -u "$$PLATFORM_IDENTITY" --password-stdin "$$REGISTRY"
      docker push "$$IMAGE:$$BUILDKITE_COMMIT"
      docker pull "$$IMAGE:$$BUILDKITE_COMMIT"
`;

export const circleciJob = `version: 2.1
jobs:
  image:
    machine:
      image: ubuntu-2404:current
    environment:
      REGISTRY: ${registry}
      IMAGE: ${image}
      PLATFORM_IDENTITY: ${identity}
    steps:
      - checkout
      - run: docker build -t "$IMAGE:$CIRCLE_SHA1" .
      - run:
          name: Log in
          command: |
            circleci run oidc get --claims "{\\"aud\\": \\"$REGISTRY\\"}" |
              docker login -u "$PLATFORM_IDENTITY" --password-stdin "$REGISTRY"
      - run: docker push "$IMAGE:$CIRCLE_SHA1"
      - run: docker pull "$IMAGE:$CIRCLE_SHA1"
workflows:
  image:
    jobs:
      - image:
          filters:
            branches:
              only: main
`;

export const jenkinsJob = `pipeline {
  agent any
  environment {
    REGISTRY = '${registry}'
    IMAGE = '${image}'
  }
  stages {
    stage('Image') {
      steps {
        checkout scm
        sh 'docker build -t "$IMAGE:$GIT_COMMIT" .'
        withCredentials([string(credentialsId: 'registry-token', variable: 'REGISTRY_TOKEN')]) {
          sh 'set +x; printf %s "$REGISTRY_TOKEN" | docker login -u oidc --password-stdin "$REGISTRY"'
        }
        sh 'docker push "$IMAGE:$GIT_COMMIT"'
        sh 'docker pull "$IMAGE:$GIT_COMMIT"'
      }
    }
  }
}
`;

export const bitbucketJob = `pipelines:
  branches:
    main:
      - step:
          name: Image
          oidc:
            audiences:
              - ${registry}
          services:
            - docker
          script:
            - export REGISTRY=${registry} IMAGE=${image}
            - export PLATFORM_IDENTITY=${identity}
            - docker build -t "$IMAGE:$BITBUCKET_COMMIT" .
            - printf %s "$BITBUCKET_STEP_OIDC_TOKEN" | docker login -u "$PLATFORM_IDENTITY" --password-stdin "$REGISTRY"
            - docker push "$IMAGE:$BITBUCKET_COMMIT"
            - docker pull "$IMAGE:$BITBUCKET_COMMIT"
`;

export const awsJob = `version: 0.2
env:
  shell: bash
  variables:
    REGISTRY: ${registry}
    IMAGE: ${image}
phases:
  build:
    commands:
      - docker build -t "$IMAGE:$CODEBUILD_RESOLVED_SOURCE_VERSION" .
      - >-
        aws sts get-web-identity-token --audience "$REGISTRY" --signing-algorithm ES384
        --duration-seconds 300 --query WebIdentityToken --output text |
        docker login -u oidc --password-stdin "$REGISTRY"
      - docker push "$IMAGE:$CODEBUILD_RESOLVED_SOURCE_VERSION"
      - docker pull "$IMAGE:$CODEBUILD_RESOLVED_SOURCE_VERSION"
`;

const checkout = `set -eu
git clone --depth 1 https://git.example.com/app.git
cd app
REGISTRY=${registry}
IMAGE=${image}:$(git rev-parse HEAD)`;

export const googleJob = `${checkout}
docker build -t "$IMAGE" .
curl -sSf -H "Metadata-Flavor: Google" \\
  "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/identity?audience=$REGISTRY" |
  docker login -u oidc --password-stdin "$REGISTRY"
docker push "$IMAGE"
docker pull "$IMAGE"
`;

export const azureJob = `${checkout}
PLATFORM_IDENTITY=${identity}
docker build -t "$IMAGE" .
curl -sSf -H "Metadata: true" \\
  "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=api://platform-registry" |
  jq -r .access_token | docker login -u "$PLATFORM_IDENTITY" --password-stdin "$REGISTRY"
docker push "$IMAGE"
docker pull "$IMAGE"
`;
