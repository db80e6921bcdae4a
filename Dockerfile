# The image of dragoman: one static binary on a base without a shell, run as user 65532.
#
#   docker build -t dragoman:dev .
#   docker run -p 127.0.0.1:8484:8484 -e AWS_REGION -v "$PWD/dragoman.yaml:/etc/dragoman.yaml:ro" \
#     dragoman:dev serve --config /etc/dragoman.yaml
#
# Use `--format docker` with buildah and podman: the OCI format has no HEALTHCHECK.

ARG GO_IMAGE=golang:1.26-bookworm
ARG RUN_IMAGE=gcr.io/distroless/static-debian12:nonroot

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
WORKDIR /src

# Modules change seldom: they get a layer of their own.
ARG GOPROXY
COPY go.mod go.sum ./
RUN go mod download

COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/dragoman ./cmd/dragoman

FROM ${RUN_IMAGE}
COPY --from=build --chmod=0755 /out/dragoman /usr/local/bin/dragoman
USER 65532:65532

# A port that is published must be listened on beyond loopback. Dragoman refuses to do that without
# keys for its clients: give it a configuration with auth.keys, or it exits with 78. The environment
# wins over the file's `listen`. The admin listener has no authentication and stays on loopback;
# set DRAGOMAN_ADMIN_LISTEN=0.0.0.0:8485 where probes and scrapes come from outside the container.
ENV DRAGOMAN_LISTEN=0.0.0.0:8484
EXPOSE 8484 8485

HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/usr/local/bin/dragoman", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/dragoman"]
CMD ["serve"]
