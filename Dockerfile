# The service on Debian 12, without a toolchain, with a user that has no rights.
#   docker build -t pincluster .
# To try it, for this machine only, as everybody who reaches the port may write:
#   docker run --rm --read-only -p 127.0.0.1:8080:8080 -v pincluster:/data -e PINCLUSTER_ALLOW_ANONYMOUS_WRITES=true pincluster
# For others, with keys (docs/operations.md#keys), which the user 10001 must be able to read:
#   echo "admin:$(openssl rand -hex 16)" >keys; chmod 644 keys
#   docker run --read-only --cap-drop ALL -p 8080:8080 -v pincluster:/data -v "$PWD/keys:/keys:ro" -e PINCLUSTER_API_KEY_FILE=/keys pincluster
FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    libcurl4-openssl-dev libdeflate-dev libevent-dev libpq-dev libprotozero-dev libsimdjson-dev libsqlite3-dev libssl-dev libstdc++-12-dev pkg-config zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# The commit that pincluster --version names; sources from an archive of git know theirs.
ARG COMMIT=
RUN PINCLUSTER_COMMIT=$COMMIT swift build -c release --static-swift-stdlib --product pincluster \
 && strip -o /usr/local/bin/pincluster .build/release/pincluster \
 && { swift --version; dpkg-query --show libprotozero-dev; } >/usr/local/share/built-with

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get upgrade -y \
 && apt-get install -y --no-install-recommends \
    ca-certificates libcurl4 libdeflate0 libevent-2.1-7 libevent-openssl-2.1-7 libevent-pthreads-2.1-7 libjs-leaflet \
    libpq5 libsimdjson14 libsqlite3-0 libssl3 libstdc++6 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --system --gid 10001 pincluster \
 && useradd --system --uid 10001 --gid pincluster --no-create-home --shell /usr/sbin/nologin pincluster \
 && install -d -o pincluster -g pincluster /data
COPY deploy/debian/copyright /usr/share/doc/pincluster/copyright
COPY --from=build /usr/local/share/built-with /usr/share/doc/pincluster/built-with
COPY --from=build /usr/local/bin/pincluster /usr/local/bin/pincluster
ENV PINCLUSTER_HOST=0.0.0.0 PINCLUSTER_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["pincluster", "health"]
ENTRYPOINT ["pincluster"]
CMD ["serve"]
