# The image of dragoman: one static binary on a base without a shell, run as user 65532.
#
#   docker build -t dragoman:dev .
#   docker run -p 127.0.0.1:8484:8484 -e AWS_REGION -v "$PWD/dragoman.yaml:/etc/dragoman.yaml:ro" \
#     dragoman:dev serve --config /etc/dragoman.yaml
#
# Use `--format docker` with buildah and podman: the OCI format has no HEALTHCHECK.

# .ci/commit reads the Go version from GO_IMAGE.
ARG GO_IMAGE=docker.io/library/golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d
ARG RUN_IMAGE=gcr.io/distroless/static-debian13:nonroot@sha256:e2e927ec666bae08560abb3c55d0659eceabb657f56b6782ab500a9fc7f555e3

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
WORKDIR /src
COPY . .
ARG GOPROXY
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
ARG REVISION
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/go/build \
    CGO_ENABLED=0 GOCACHE=/go/build GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION -X main.revision=$REVISION" \
    -o /out/dragoman ./cmd/dragoman

FROM ${RUN_IMAGE}
ARG RUN_IMAGE
ARG VERSION=dev
ARG REVISION
# .ci/build-image adds the labels that only a release knows (source, created).
LABEL org.opencontainers.image.title="dragoman" \
    org.opencontainers.image.description="Gives models that only complete text the Messages API with tools and streaming" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$REVISION" \
    org.opencontainers.image.base.name="$RUN_IMAGE"
COPY --from=build --chmod=0755 /out/dragoman /usr/local/bin/dragoman
USER 65532:65532

# Dragoman must listen beyond loopback for a published port. That needs a configuration with auth.keys; without
# keys it exits with 78. This variable overrides the file's `listen`. The admin listener has no
# authentication and stays on loopback. If probes or scrapes come from outside the container, set
# DRAGOMAN_ADMIN_LISTEN=0.0.0.0:8485.
ENV DRAGOMAN_LISTEN=0.0.0.0:8484
EXPOSE 8484 8485

HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/usr/local/bin/dragoman", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/dragoman"]
CMD ["serve"]
