# SPDX-License-Identifier: Apache-2.0
# Debian packages of the three parts of the installation (tools/make-packages).
set(AMALTHEA_MAINTAINER "The amalthea-timing maintainers <maintainers@amalthea-timing.example>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME amalthea-timing)
set(CPACK_PACKAGE_VENDOR "${CPACK_PACKAGE_NAME}")
set(CPACK_PACKAGE_CONTACT "${AMALTHEA_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake")
set(CPACK_COMPONENTS_ALL command development documentation)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(text "It reads AMALTHEA models (Eclipse APP4MC), simulates them, bounds response\ntimes, explains missed deadlines, searches for better mappings, and writes the\nresults back.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME amalthea-timing)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS amalthea-timing-doc)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "timing analysis of systems with CPUs and GPUs\n${text}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libamalthea-timing-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libxerces-c-dev, libzip-dev, libboost-graph-dev, libfmt-dev, libexpected-dev, nlohmann-json3-dev, libssl-dev, zlib1g-dev, libsqlite3-dev")
if(AMALTHEA_BABELTRACE_INCLUDE AND AMALTHEA_BABELTRACE_LIBRARY)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libbabeltrace2-dev")
endif()
if(AMALTHEA_PROTOC AND AMALTHEA_PROTOBUF_INCLUDE AND AMALTHEA_PROTOBUF_LIBRARY)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libprotobuf-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "timing analysis of systems with CPUs and GPUs (C++ library)\n${text}")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME amalthea-timing-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION "timing analysis of systems with CPUs and GPUs (pages, samples, JSON schemas)\n${text}")

if(AMALTHEA_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-amalthea-timing)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next_python})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, python3-pandas")
  # Compiled modules are made at installation and removed with the package, as dh_python3 does it.
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/python-package/postinst" @ONLY CONTENT "#!/bin/sh
set -e
if [ \"$1\" = configure ]; then py3compile -p @CPACK_DEBIAN_PYTHON_PACKAGE_NAME@; fi
")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/python-package/prerm" @ONLY CONTENT "#!/bin/sh
set -e
py3clean -p @CPACK_DEBIAN_PYTHON_PACKAGE_NAME@
")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/python-package/postinst;${PROJECT_BINARY_DIR}/python-package/prerm")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "timing analysis of systems with CPUs and GPUs (Python module)\n${text}")
endif()
include(CPack)
